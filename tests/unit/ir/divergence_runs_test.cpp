// SPDX-License-Identifier: Apache-2.0
// Runs shaders and checks for every value that the analysis calls uniform whether all invocations
// agree on it, and for every block whether all invocations of a scope or none entered it. The
// shaders are the references, plain, optimised and fuzzed, on their own inputs and on others.
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "corpus/test_modules.h"
#include "engine/fuzz.h"
#include "engine/run_inputs.h"
#include "glsl/companion_file.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "interp/interpreter.h"
#include "unit/shared/divergence_shader.h"

namespace refract {
namespace {

using test::ComputeShader;
using test::DivergenceShader;

// What the analysis claims for all values and blocks.
Audit ClaimsOf(const Module& module) {
  Audit audit;
  const DivergenceAnalysis& analysis = module.Divergence();
  ForEachFunction(module, [&](Function function) {
    const auto claim = [&](Block block) {
      if (block != module[function].head) {
        audit.agreed.emplace_back(module.LabelId(block), analysis.ControlOf(block));
      }
      ForEachInstruction(module, block, [&](Inst inst) {
        const Id id = module.Result(inst);
        if (module.Type(inst) != Id::kNone) audit.agreed.emplace_back(id, analysis.Of(id));
      });
    };
    claim(module[function].head);
    ForEachBlock(module, function, claim);
  });
  return audit;
}

// Batches spread over the image or the dispatch.
std::vector<uint32_t> Sample(const EntryPoint& entry, const Bindings& bindings) {
  const bool is_compute = entry.model == spv::ExecutionModel::GLCompute;
  const uint32_t all = is_compute ? bindings.groups[0] * bindings.groups[1] * bindings.groups[2]
                                  : ((bindings.width + 1) / 2) * ((bindings.height + 1) / 2);
  std::set<uint32_t> sample;
  const uint32_t most = is_compute ? 4 : 32;
  for (uint32_t i = 0; i < most; ++i) {
    sample.insert(static_cast<uint32_t>(uint64_t{all} * i / most));
    if (!is_compute) sample.insert(static_cast<uint32_t>(Mix(i, uint64_t{all}) % all));
  }
  return {sample.begin(), sample.end()};
}

struct Tally {
  size_t runs = 0, trapped = 0;
  size_t values = 0, uniform = 0;
};

void ExpectClaimsHold(const Context& context, const std::string& name, Tally* tally) {
  const Audit audit = ClaimsOf(context.module);
  for (const auto& [id, claim] : audit.agreed) {
    ++tally->values;
    if (claim != DivergenceClass::kDivergent) ++tally->uniform;
  }
  const auto inputs = RunInputs::Of(context, name);
  ASSERT_TRUE(inputs) << inputs.error().message;
  for (const uint64_t seed : {0, 1}) {
    const Bindings bindings = seed == 0 ? inputs->given() : inputs->Varied(seed, true);
    DecodeOptions decode;
    decode.audit = &audit;
    decode.made_up_inputs = 1;
    const auto program = Program::Decode(context.module, inputs->entry(), bindings, name, decode);
    ASSERT_TRUE(program) << program.error().message;
    RunOptions options;
    options.sample = Sample(inputs->entry(), bindings);
    options.schedule.subgroup_size = seed == 0 ? 32 : 8;
    options.limits.steps = uint64_t{1} << 22;
    const RunReport report = Run(*program, options);
    ++tally->runs;
    if (!report.trap) continue;
    ++tally->trapped;  // on inputs other than the shader's own, undefined behaviour is possible
    EXPECT_NE(report.trap->kind, Trap::Kind::kAudit) << name << ": " << report.trap->message;
    EXPECT_TRUE(seed != 0 || report.trap->kind == Trap::Kind::kLimit) << report.trap->message;
  }
}

std::vector<std::string> References() {
  const auto files = ReferenceFiles(REFRACT_SOURCE_DIR "/references");
  EXPECT_TRUE(files);
  EXPECT_GE(files->size(), 6u);
  return *files;
}

Result<Original> Load(const std::string& path, bool is_optimised) {
  Result<LoadedModule> loaded = LoadModuleFile(path);
  if (!loaded) return loaded.error();
  Result<std::shared_ptr<const Inputs>> inputs = LoadInputsOf(path);
  if (!inputs) return inputs.error();
  std::vector<uint32_t> words = loaded->words;
  if (is_optimised) {
    Result<std::vector<uint32_t>> optimised = Optimize(words, {"-O"}, DefaultEnvironment(words[1]));
    if (!optimised) return optimised.error();
    words = std::move(*optimised);
  }
  return MakeOriginal(std::move(words), path, std::move(*inputs), {});
}

TEST(DivergenceRuns, ClaimsHoldForReferences) {
  Tally tally;
  for (const std::string& path : References()) {
    for (const bool is_optimised : {false, true}) {
      const auto original = Load(path, is_optimised);
      ASSERT_TRUE(original) << original.error().message;
      ExpectClaimsHold(original->context, path + (is_optimised ? " -O" : ""), &tally);
    }
  }
  RecordProperty("uniform", format("{} of {}", tally.uniform, tally.values));
  EXPECT_GT(tally.uniform, tally.values / 10);
  EXPECT_LT(tally.uniform, tally.values);
  EXPECT_LT(tally.trapped, tally.runs / 2);
}

TEST(DivergenceRuns, ClaimsHoldForVariants) {
  Tally tally;
  uint64_t seed = 0;
  for (const std::string& path : References()) {
    if (++seed % 3 != 0) continue;
    const auto original = Load(path, seed % 2 == 0);
    ASSERT_TRUE(original) << original.error().message;
    FuzzOptions options;
    options.seed = seed;
    options.max_steps = 300;
    options.all_passes = true;
    options.validate = false;
    const auto variant = Fuzz(*original, options);
    ASSERT_TRUE(variant) << variant.error().message;
    ExpectClaimsHold(variant->context, path + format(" seed {}", seed), &tally);
  }
  EXPECT_GT(tally.uniform, 0u);
  EXPECT_LT(tally.trapped, tally.runs);
}

// Makes one claim that is too strong and returns the trap: the runs above would detect it.
std::string TrapWith(const DivergenceShader& shader, Id id, DivergenceClass claim) {
  const Module& module = shader.module;
  const auto entry = FindEntryPoint(module, "", "test");
  EXPECT_TRUE(entry);
  Audit audit;
  audit.agreed.emplace_back(id, claim);
  DecodeOptions decode;
  decode.audit = &audit;
  Bindings bindings;
  bindings.groups[0] = 2;
  BoundBuffer uniforms;
  uniforms.bytes.assign(128, '\0');
  bindings.buffers.push_back(uniforms);
  const auto program = Program::Decode(module, *entry, bindings, "test", decode);
  EXPECT_TRUE(program) << program.error().message;
  if (!program) return "";
  RunOptions options;
  options.schedule.subgroup_size = 4;
  const RunReport report = Run(*program, options);
  return report.trap ? report.trap->message : "";
}

TEST(DivergenceRuns, WrongClaimsAreDetected) {
  const DivergenceShader shader = ComputeShader(R"(
OpSelectionMerge %merge None
OpBranchConditional %subgroup_is %then %merge
%then = OpLabel
OpSelectionMerge %merge2 None
OpBranchConditional %differ_is %then2 %merge2
%then2 = OpLabel
OpBranch %merge2
%merge2 = OpLabel
OpBranch %merge
%merge = OpLabel
)");
  const auto trap = [&](const char* name, DivergenceClass claim) {
    return TrapWith(shader, shader.Named(name), claim);
  };
  EXPECT_NE(trap("differs", DivergenceClass::kQuad).find("the same in each quad"),
            std::string::npos);
  EXPECT_NE(trap("of_subgroup", DivergenceClass::kWorkgroup).find("the same in each workgroup"),
            std::string::npos);
  EXPECT_EQ(trap("of_subgroup", DivergenceClass::kSubgroup), "");
  EXPECT_EQ(trap("differs", DivergenceClass::kDivergent), "");
  EXPECT_NE(trap("then", DivergenceClass::kWorkgroup)
                .find("by all invocations of a workgroup or by none"),
            std::string::npos);
  EXPECT_EQ(trap("then", DivergenceClass::kSubgroup), "");
  EXPECT_NE(trap("then2", DivergenceClass::kQuad).find("by all invocations of a quad or by none"),
            std::string::npos);
  EXPECT_EQ(trap("merge", DivergenceClass::kDraw), "");
}

}  // namespace
}  // namespace refract
