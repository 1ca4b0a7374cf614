// SPDX-License-Identifier: Apache-2.0
#include "cli/runnable_module.h"

#include "base/text.h"
#include "input/blocks.h"
#include "input/pipeline/stages.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "target/cached_original_check.h"

namespace refract {
inline namespace cli {
namespace {

// Adds the layout of each storage buffer.
Status AddLayouts(const Module& module, const EntryPoint& entry, const Bindings& bindings,
                  std::vector<BufferLayout>* layouts) {
  AddAddressedLayouts(bindings, layouts);
  const Result<std::vector<BlockVariable>> blocks =
      BlocksOf(module, entry, BlockNames(module), bindings.constants);
  if (!blocks) return blocks.error();
  for (const BlockVariable& block : *blocks) {
    for (const BoundBuffer& buffer : bindings.buffers) {
      if (!buffer.storage || block.place != BlockPlace(buffer)) continue;
      Result<Layout> layout = LayoutWithin(module, block, buffer.bytes.size(), bindings.constants);
      if (!layout) return layout.error();
      layouts->push_back({buffer.set, buffer.binding, std::move(*layout), buffer.element});
    }
  }
  return {};
}

std::string WantedEntry(const Module& module, const RunnableModuleArguments& given) {
  if (!given.entry.empty()) return given.entry;
  for (const EntryPoint& entry : EntryPoints(module)) {
    if (entry.name == given.usual_entry) return entry.name;
  }
  return {};
}

}  // namespace

Result<RunnableModule> LoadRunnableModule(const std::string& role, const std::string& file,
                                          const std::string& inputs,
                                          const RunnableModuleArguments& given, Console& console) {
  Result<LoadedModule> loaded = LoadModuleFor(console, file);
  if (!loaded) return loaded.error();
  return MakeRunnableModule(role, file, std::move(*loaded), inputs, given, console);
}

Result<RunnableModule> MakeRunnableModule(const std::string& role, const std::string& file,
                                          LoadedModule loaded, const std::string& inputs,
                                          const RunnableModuleArguments& given, Console& console) {
  RunnableModule subject{role, file, {}, {}, {}};
  const Result<Module> module = ReadModule(loaded.words, file);
  if (!module) return module.error();
  if (!given.is_valid) {
    const Status valid = ValidateWithin(loaded.words, UniversalEnvironment(module->version()),
                                        ValidationOf(given.validator));
    if (!valid) return Error{format("{}: {}", file, valid.error().message)};
  }
  const Result<EntryPoint> entry = FindEntryPoint(*module, WantedEntry(*module, given), file);
  if (!entry) return entry.error();
  if (Status runnable = CheckRunnable(*entry, file); !runnable) return runnable.error();
  Inputs values;
  if (!inputs.empty()) {
    Result<Inputs> read = LoadInputs(inputs);
    if (!read) return read.error();
    values = std::move(*read);
  }
  if (given.as_original) {
    values.companion = *given.as_original;
  } else {
    Result<LoadedCompanion> other = LoadCompanionOf(file, given.companion);
    if (!other) return other.error();
    for (const std::string& warning : other->warnings) console.Warn(warning);
    values.companion = std::move(other->companion);
  }
  subject.companion = values.companion;
  Result<ResolvedInputs> resolved = Resolve(*module, *entry, values, inputs.empty() ? file : inputs,
                                            {.zero_inputs = given.zero_inputs});
  if (!resolved) return resolved.error();
  if (Status known = AddLayouts(*module, *entry, resolved->bindings, &subject.layouts); !known) {
    return known.error();
  }
  subject.job.spirv = std::move(loaded.words);
  subject.job.entry = entry->name;
  subject.job.bindings = std::move(resolved->bindings);
  subject.job.time_limit = static_cast<double>(given.time_limit);
  subject.job.validate = given.validate;
  subject.job.partial_subgroups = given.partial_subgroups;
  subject.job.validation = ValidationOf(given.validator);
  subject.job.expected = std::move(values.expected);
  if (!given.environment.empty()) {
    const Result<TargetEnvironment> environment = ParseTargetEnvironment(given.environment);
    if (!environment) return Error{environment.error().message, ErrorKind::kUsage};
    subject.job.environment = *environment;
  }
  return subject;
}

Result<OriginalCheck> CheckOriginalModule(const RunnableModule& subject,
                                          const OriginalCheckOptions& options) {
  const Result<Module> module = ReadModule(subject.job.spirv, subject.file);
  if (!module) return module.error();
  return CheckOriginalJob(*module, subject.job, subject.layouts, subject.file, options);
}

}  // namespace cli
}  // namespace refract
