// SPDX-License-Identifier: Apache-2.0
#include "target/optimiser_passes.h"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "base/random.h"
#include "base/suggest.h"
#include "base/text.h"
#include "driver/requirements.h"

namespace refract {
inline namespace target {
namespace {

using Pass = OptimiserPass;
constexpr Pass::Use kAlone = Pass::Use::kAlone;
constexpr Pass::Use kForbidden = Pass::Use::kForbidden;
constexpr uint8_t kIndices =
    Pass::kShader | Pass::kLogical | Pass::kPlainPointers | Pass::kNoRuntimeArrays;

// Sorted by name. Passes that do nothing with modules that they cannot handle (such as the local
// eliminations with physical addressing) have no requirements.
constexpr Pass kPasses[] = {
    {.name = "amd-ext-to-khr", .use = kAlone, .reason = "does nothing without AMD's extensions"},
    {.name = "ccp"},
    {.name = "cfg-cleanup"},
    {.name = "combine-access-chains"},
    {.name = "compact-ids", .cleanup_only = true},
    {.name = "convert-local-access-chains"},
    {.name = "convert-relaxed-to-half",
     .use = kForbidden,
     .reason = "rounds values decorated RelaxedPrecision to 16 bits"},
    {.name = "convert-to-sampled-image",
     .use = kForbidden,
     .reason = "changes the bindings; needs sets and bindings as its argument"},
    {.name = "copy-propagate-arrays"},
    {.name = "descriptor-scalar-replacement",
     .use = kForbidden,
     .reason = "changes the bindings: one for each element of an array"},
    {.name = "eliminate-dead-branches"},
    {.name = "eliminate-dead-code-aggressive"},
    {.name = "eliminate-dead-const", .cleanup_only = true},
    {.name = "eliminate-dead-functions", .cleanup_only = true},
    {.name = "eliminate-dead-input-components",
     .use = kForbidden,
     .reason = "changes the interface to the previous stage"},
    {.name = "eliminate-dead-inserts"},
    {.name = "eliminate-dead-members"},
    {.name = "eliminate-dead-variables", .cleanup_only = true},
    {.name = "eliminate-insert-extract",
     .use = kForbidden,
     .reason = "another name for --simplify-instructions"},
    {.name = "eliminate-local-multi-store",
     .use = kAlone,
     .reason = "another name for --ssa-rewrite"},
    {.name = "eliminate-local-single-block"},
    {.name = "eliminate-local-single-store"},
    {.name = "fix-func-call-param", .cleanup_only = true},
    {.name = "fix-storage-class", .cleanup_only = true},
    {.name = "flatten-decorations", .cleanup_only = true},
    {.name = "fold-spec-const-op-composite", .cleanup_only = true},
    {.name = "freeze-spec-const",
     .use = kAlone,
     .needs = Pass::kNoGivenConstants,
     .reason = "replaces specialisation constants by their default values"},
    {.name = "graphics-robust-access", .needs = kIndices},
    {.name = "if-conversion"},
    {.name = "inline-entry-points-exhaustive"},
    {.name = "inline-entry-points-opaque"},
    {.name = "inst-bindless-check",
     .use = kForbidden,
     .reason = "adds its own buffers to the bindings"},
    {.name = "inst-buff-addr-check",
     .use = kForbidden,
     .reason = "adds its own buffers to the bindings"},
    {.name = "inst-buff-oob-check",
     .use = kForbidden,
     .reason = "adds its own buffers to the bindings"},
    {.name = "inst-debug-printf",
     .use = kForbidden,
     .reason = "adds its own buffers to the bindings"},
    {.name = "inst-desc-idx-check",
     .use = kForbidden,
     .reason = "adds its own buffers to the bindings"},
    {.name = "interpolate-fixup",
     .use = kAlone,
     .reason = "repairs the output of HLSL front ends; does nothing to a valid module"},
    {.name = "legalize-hlsl", .use = kAlone, .reason = "a macro, with as many passes as -O"},
    {.name = "local-redundancy-elimination"},
    {.name = "loop-fission=4", .once = true},
    {.name = "loop-fusion=16"},
    {.name = "loop-invariant-code-motion"},
    {.name = "loop-peeling", .once = true},
    {.name = "loop-peeling-threshold",
     .use = kForbidden,
     .reason = "sets a parameter; is not a pass"},
    {.name = "loop-unroll"},
    {.name = "loop-unroll-partial=2", .once = true},
    {.name = "loop-unswitch", .once = true},
    {.name = "merge-blocks"},
    {.name = "merge-return",
     .before = "eliminate-dead-branches",
     .reason = "requires that unreachable blocks are trivial"},
    {.name = "private-to-local"},
    {.name = "reduce-load-size"},
    {.name = "reduce-load-size=1.1"},
    {.name = "redundancy-elimination"},
    {.name = "relax-float-ops",
     .use = kForbidden,
     .reason = "decorates all floats RelaxedPrecision, which allows 16 bits"},
    {.name = "remove-dont-inline", .cleanup_only = true},
    {.name = "remove-duplicates", .cleanup_only = true},
    {.name = "remove-unused-interface-variables",
     .use = kAlone,
     .reason = "changes the interface to other stages"},
    {.name = "replace-desc-array-access-using-var-index", .needs = kIndices},
    {.name = "replace-invalid-opcode",
     .use = kAlone,
     .reason = "repairs modules with instructions that are not allowed in their stage"},
    {.name = "scalar-replacement"},
    {.name = "scalar-replacement=0"},
    {.name = "set-spec-const-default-value",
     .use = kForbidden,
     .reason = "changes values in the module; needs them as its argument"},
    {.name = "simplify-instructions"},
    {.name = "spread-volatile-semantics",
     .use = kAlone,
     .reason = "for ray tracing, and for HelperInvocation from SPIR-V 1.6 on"},
    {.name = "ssa-rewrite"},
    {.name = "strength-reduction"},
    {.name = "strip-debug", .cleanup_only = true},
    {.name = "strip-nonsemantic", .cleanup_only = true},
    {.name = "strip-reflect", .use = kForbidden, .reason = "another name for --strip-nonsemantic"},
    {.name = "unify-const", .cleanup_only = true},
    {.name = "upgrade-memory-model",
     .use = kAlone,
     .needs = Pass::kShader | Pass::kLogical,
     .reason = "adds the capability VulkanMemoryModel, which some drivers lack"},
    {.name = "vector-dce"},
    {.name = "workaround-1209", .cleanup_only = true},
    {.name = "wrap-opkill"},
};

constexpr uint64_t kMostDrawn = 16;
constexpr uint32_t kDullPercent = 15;

std::string_view WithoutDashes(std::string_view flag) {
  return flag.starts_with("--") ? flag.substr(2) : flag;
}

std::string Suggestion(std::string_view flag) {
  std::vector<std::string_view> names;
  for (const Pass& pass : kPasses) names.push_back(pass.name);
  return DidYouMean(WithoutDashes(flag), names);
}

void Append(const Pass& pass, std::string_view name, std::vector<std::string>* flags) {
  if (!pass.before.empty()) flags->push_back(format("--{}", pass.before));
  flags->push_back(format("--{}", name));
}

std::vector<const Pass*> Drawn() {
  std::vector<const Pass*> drawn;
  for (const Pass& pass : kPasses) {
    if (pass.use == Pass::Use::kDrawn) drawn.push_back(&pass);
  }
  return drawn;
}

constexpr std::pair<uint8_t, std::string_view> kNeeds[] = {
    {Pass::kShader, "a shader module, not a kernel"},
    {Pass::kLogical, "logical addressing"},
    {Pass::kPlainPointers, "a module without variable pointers"},
    {Pass::kNoRuntimeArrays, "a module without runtime arrays of descriptors"},
    {Pass::kNoGivenConstants, "inputs without values for specialisation constants"},
};

/// Whether a job meets `need`, which is one bit.
bool Has(uint8_t need, const Job& job, const ModuleHeader& module) {
  using spv::Capability;
  const auto declares = [&](Capability capability) {
    return std::find(module.capabilities.begin(), module.capabilities.end(),
                     static_cast<uint32_t>(capability)) != module.capabilities.end();
  };
  switch (need) {
    case Pass::kShader:
      return !declares(Capability::Kernel);
    case Pass::kLogical:
      return !declares(Capability::Addresses) &&
             !declares(Capability::PhysicalStorageBufferAddresses);
    case Pass::kPlainPointers:
      return !declares(Capability::VariablePointers) &&
             !declares(Capability::VariablePointersStorageBuffer);
    case Pass::kNoRuntimeArrays:
      return !declares(Capability::RuntimeDescriptorArray);
    default:
      return job.bindings.constants.empty();
  }
}

}  // namespace

std::span<const OptimiserPass> OptimiserPasses() {
  return kPasses;
}

std::span<const std::pair<uint8_t, std::string_view>> RequirementNames() {
  return kNeeds;
}

const OptimiserPass* FindOptimiserPass(std::string_view flag) {
  const std::string_view name = WithoutDashes(flag);
  const std::string_view bare = name.substr(0, name.find('='));
  const Pass* similar = nullptr;
  for (const Pass& pass : kPasses) {
    if (pass.name == name) return &pass;
    if (pass.name.substr(0, pass.name.find('=')) == bare) similar = &pass;
  }
  // A row fits with another number, or without a number if the pass has a default.
  const bool fits = similar != nullptr && (name.find('=') != std::string_view::npos ||
                                           similar->name.find('=') == std::string_view::npos);
  return fits ? similar : nullptr;
}

bool IsPassFlag(std::string_view argument) {
  if (argument == "-O" || argument == "-Os") return true;
  return argument.starts_with("--") && FindOptimiserPass(argument) != nullptr;
}

Result<std::vector<std::string>> PassList(const std::vector<std::string>& names) {
  std::vector<std::string> flags;
  for (const std::string& name : names) {
    if (name == "-O" || name == "-Os") {
      flags.push_back(name);
      continue;
    }
    const Pass* pass = FindOptimiserPass(name);
    if (pass == nullptr) {
      return Error{format("unknown spirv-opt pass '{}'; `refract targets --passes` lists the known "
                          "passes{}",
                          name, Suggestion(name)),
                   ErrorKind::kUsage};
    }
    if (pass->use == Pass::Use::kForbidden) {
      return Error{format("pass --{} is not allowed: {}", pass->name, pass->reason),
                   ErrorKind::kUsage};
    }
    // If the required pass is already right before this one, it is not added a second time.
    const std::string before = format("--{}", pass->before);
    if (!pass->before.empty() && !flags.empty() && flags.back() == before) flags.pop_back();
    Append(*pass, WithoutDashes(name), &flags);
  }
  return flags;
}

std::vector<std::string> DrawPassList(uint64_t seed) {
  const std::vector<const Pass*> drawn = Drawn();
  Random random(Mix(seed, 0x70617373));  // "pass": a random stream of its own
  std::vector<std::string> flags;
  std::vector<const Pass*> taken;
  for (uint64_t left = random.Between(1, kMostDrawn); left > 0; --left) {
    const Pass* pass = drawn[random.Below(drawn.size())];
    while (pass->cleanup_only && !random.Percent(kDullPercent))
      pass = drawn[random.Below(drawn.size())];
    const bool again = std::find(taken.begin(), taken.end(), pass) != taken.end();
    if (pass->once && again) continue;
    taken.push_back(pass);
    Append(*pass, pass->name, &flags);
  }
  return flags;
}

std::vector<std::string> DrawPass(uint64_t seed) {
  const std::vector<const Pass*> drawn = Drawn();
  const Pass& pass = *drawn[seed % drawn.size()];
  std::vector<std::string> flags;
  Append(pass, pass.name, &flags);
  return flags;
}

std::string WhyPassesCannotRun(const std::vector<std::string>& flags, const Job& job) {
  ModuleHeader module;
  if (!ReadModuleHeader(job.spirv, &module)) return {};
  for (const std::string& flag : flags) {
    const Pass* pass = FindOptimiserPass(flag);
    if (pass == nullptr) continue;
    for (const auto& [need, name] : kNeeds) {
      if ((pass->needs & need) != 0 && !Has(need, job, module)) {
        return format("{} needs {}", flag, name);
      }
    }
  }
  return {};
}

}  // namespace target
}  // namespace refract
