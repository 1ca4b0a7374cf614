// SPDX-License-Identifier: Apache-2.0
// Modules, and the checks of modules.
#include <memory>

#include "abi/boundary.h"
#include "base/text.h"
#include "ir/binary.h"
#include "ir/rules/flow_rules.h"
#include "ir/tools.h"

using namespace refract;

namespace {

const char* NameOr(const char* name, const char* fallback) {
  return name != nullptr ? name : fallback;
}

Result<std::unique_ptr<refract_module>> LoadModule(const void* bytes, size_t size,
                                                   const refract_module_options& given) {
  const char* name = NameOr(given.name, "module");
  Result<std::vector<uint32_t>> words = ReadWords(bytes, size, name);
  if (!words) return words.error();
  Result<std::shared_ptr<const Inputs>> inputs = ReadInputs(given.inputs, name);
  if (!inputs) return inputs.error();
  OriginalOptions options;
  options.entry = NameOr(given.entry, "");
  options.latest_shapes = given.latest_shapes != 0;
  options.validation.seconds = given.validator_seconds;
  if (given.environment != nullptr) {
    const Result<TargetEnvironment> environment = ParseTargetEnvironment(given.environment);
    if (!environment) return Error{environment.error().message, ErrorKind::kUsage};
    options.environment = *environment;
  }
  Result<Original> original = MakeOriginal(std::move(*words), name, std::move(*inputs), options);
  if (!original) return original.error();
  return std::make_unique<refract_module>(refract_module{std::move(*original)});
}

constexpr FlowMode kModes[] = {FlowMode::kStrict, FlowMode::kLetter, FlowMode::kSpirvVal,
                               FlowMode::kOlder};

// The id that is `file_id` in the file; kNone if the module does not define it.
Id FindFileId(const Module& module, uint32_t file_id) {
  for (size_t i = 1; i < module.instruction_slots(); ++i) {
    const Instruction& inst = module[static_cast<Inst>(i)];
    if (inst.result != Id::kNone && module.FileId(inst.result) == file_id) return inst.result;
  }
  return Id::kNone;
}

}  // namespace

refract_status refract_module_load(const void* bytes, size_t size,
                                   const refract_module_options* options, refract_module** module,
                                   char** message) {
  return Guarded(message, [&]() -> refract_status {
    if (module == nullptr) return BadArgument("module is null", message);
    *module = nullptr;
    refract_module_options given;
    if (!ReadStruct(options, &given)) return BadArgument("options: wrong struct_size", message);
    Result<std::unique_ptr<refract_module>> loaded = LoadModule(bytes, size, given);
    if (!loaded) return Fail(loaded.error(), message);
    *module = loaded->release();
    return REFRACT_OK;
  });
}

void refract_module_free(refract_module* module) {
  delete module;
}

const uint32_t* refract_module_words(const refract_module* module, size_t* count) {
  if (count != nullptr) *count = module == nullptr ? 0 : module->original.words.size();
  return module == nullptr ? nullptr : module->original.words.data();
}

const char* refract_module_entry(const refract_module* module) {
  return module == nullptr ? "" : module->original.context.entry.c_str();
}

const char* refract_module_environment(const refract_module* module) {
  // The names are literals.
  return module == nullptr ? "" : NameOf(module->original.environment).data();
}

refract_status refract_validate(const void* bytes, size_t size, const char* environment,
                                char** message) {
  return Guarded(message, [&]() -> refract_status {
    const Result<std::vector<uint32_t>> words = ReadWords(bytes, size, "module");
    if (!words) return Fail(words.error(), message);
    TargetEnvironment chosen = UniversalEnvironment((*words)[1]);
    if (environment != nullptr) {
      const Result<TargetEnvironment> named = ParseTargetEnvironment(environment);
      if (!named) return BadArgument(named.error().message.c_str(), message);
      chosen = *named;
    }
    const Status valid = Validate(*words, chosen);
    return valid ? REFRACT_OK : Fail(valid.error(), message);
  });
}

refract_status refract_divergence_of(const refract_module* module, uint32_t id,
                                     refract_divergence* divergence, char** message) {
  return Guarded(message, [&]() -> refract_status {
    if (module == nullptr || divergence == nullptr) return BadArgument("null argument", message);
    const Module& model = module->original.context.module;
    const Id found = FindFileId(model, id);
    if (found == Id::kNone) {
      return BadArgument(format("the module does not define %{}", id).c_str(), message);
    }
    const Inst definition = model.Definition(found);
    const DivergenceAnalysis& analysis = model.Divergence();
    const DivergenceClass result = model.Opcode(definition) == spv::Op::OpLabel
                                       ? analysis.ControlOf(model.BlockOfLabel(found))
                                       : analysis.Of(found);
    *divergence = static_cast<refract_divergence>(result);
    return REFRACT_OK;
  });
}

refract_status refract_check_flow(const void* bytes, size_t size, refract_flow_mode mode,
                                  size_t* faults, char** report, char** message) {
  return Guarded(message, [&]() -> refract_status {
    if (report != nullptr) *report = nullptr;
    if (faults == nullptr) return BadArgument("faults is null", message);
    *faults = 0;
    if (mode < 0 || static_cast<size_t>(mode) >= std::size(kModes)) {
      return BadArgument("unknown mode", message);
    }
    const Result<std::vector<uint32_t>> words = ReadWords(bytes, size, "module");
    if (!words) return Fail(words.error(), message);
    const Result<Module> module = ReadModule(*words, "module");
    if (!module) return Fail(module.error(), message);
    std::string lines;
    ForEachFunction(*module, [&](Function function) {
      if ((*module)[function].first == Block::kNone) return;
      const auto fault = FindFlowFault(*module, function, kModes[mode]);
      if (!fault) return;
      ++*faults;
      lines += Describe(*module, *fault) + "\n";
    });
    if (report != nullptr && *faults > 0) *report = NewText(lines);
    return REFRACT_OK;
  });
}
