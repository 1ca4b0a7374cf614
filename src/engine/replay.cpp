// SPDX-License-Identifier: Apache-2.0
#include "engine/replay.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "engine/declarations.h"
#include "engine/execution_facts.h"
#include "ir/binary.h"
#include "ir/edit/editor.h"

namespace refract {
inline namespace engine {
namespace {

// Recordings of older versions do not have the hash of the companion.
bool HasSameCompanion(const Original& original, const message::Recording& recording) {
  return recording.companion_hash.empty() || original.companion_hash == recording.companion_hash;
}

Status CheckOriginal(const Original& original, const message::Recording& recording) {
  if (original.module_hash != recording.module_hash) {
    return Error{
        format("{}: the module differs from the original of the recording (its hash is {}, but the "
               "recording has {}); pass --force to replay the steps that still apply",
               original.file, original.module_hash, recording.module_hash)};
  }
  if (original.inputs_hash != recording.inputs_hash) {
    return Error{format(
        "{}: the inputs differ from the inputs of the recording (their hash is {}, but the "
        "recording has {}); pass --inputs FILE, or --force to replay the steps that still apply",
        original.file, original.inputs_hash.empty() ? "none" : original.inputs_hash,
        recording.inputs_hash.empty() ? "none" : recording.inputs_hash)};
  }
  if (!HasSameCompanion(original, recording)) {
    return Error{
        format("{}: the companion shader differs from the companion shader of the recording (its "
               "hash is {}, but the recording has {}); pass --vertex or --fragment FILE, or "
               "--force to replay the steps that still apply",
               original.file, original.companion_hash.empty() ? "none" : original.companion_hash,
               recording.companion_hash)};
  }
  return {};
}

bool IsWanted(const ReplayOptions& options, uint32_t number) {
  if (number > options.first) return false;
  return options.steps.empty() ||
         std::binary_search(options.steps.begin(), options.steps.end(), number);
}

}  // namespace

std::vector<message::IdBinding> MadeIds(const Module& module) {
  std::vector<message::IdBinding> ids;
  for (size_t i = 1; i < module.instruction_slots(); ++i) {
    const Instruction& inst = module[static_cast<Inst>(i)];
    // Removed instructions count too, because an id is bound once and for all.
    if (inst.result == Id::kNone || inst.name.step == 0) continue;
    ids.push_back({inst.name, module.FileId(inst.result)});
  }
  std::sort(ids.begin(), ids.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return ids;
}

Result<OriginalOptions> OriginalOptionsOf(const message::Recording& recording) {
  OriginalOptions options;
  options.entry = recording.entry;
  options.latest_shapes = recording.limits.latest_shapes;
  const Result<TargetEnvironment> environment = ParseTargetEnvironment(recording.target_env);
  if (!environment) return environment.error();
  options.environment = *environment;
  for (const std::string& name : recording.validator_options) {
    if (Status set = SetValidationOption(name, &options.validation); !set) return set.error();
  }
  return options;
}

Result<Context> BeginReplay(const Original& original, const message::Recording& recording,
                            bool force) {
  if (!force) {
    if (Status same = CheckOriginal(original, recording); !same) return same.error();
  }
  Context context = original.context;
  std::vector<std::pair<Name, uint32_t>> ids;
  for (const message::IdBinding& binding : recording.ids) {
    ids.emplace_back(binding.name, binding.id);
  }
  // For another module the execution facts could be false.
  if (original.module_hash == recording.module_hash &&
      original.inputs_hash == recording.inputs_hash && HasSameCompanion(original, recording)) {
    AddExecutionFacts(recording.execution_facts, &context);
  }
  Editor(context.module, 0).BindIds(std::move(ids));
  return context;
}

Result<ReplayResult> Replay(const Original& original, const message::Recording& recording,
                            const ReplayOptions& options) {
  Result<Context> begun = BeginReplay(original, recording, options.force);
  if (!begun) return begun.error();
  ReplayResult result;
  result.context = std::move(*begun);
  const Declarations declarations(recording.declarations);
  CheckNote note("");
  for (const message::Step& step : recording.steps) {
    if (!IsWanted(options, step.number)) continue;
    note.Set(format("replaying step {} of {}", step.number, original.file));
    const StepOutcome outcome =
        declarations.ApplyStep(result.context, step.number, step.transformation);
    if (outcome.check_result) {
      result.applied.push_back(step.number);
    } else {
      result.skipped.push_back({step.number,
                                std::string(message::KindName(step.transformation.kind)),
                                outcome.check_result.reason()});
    }
    if (options.watch) options.watch(step, outcome, result.context);
  }
  result.words = result.applied.empty() ? original.words : WriteModule(result.context.module);
  return result;
}

}  // namespace engine
}  // namespace refract
