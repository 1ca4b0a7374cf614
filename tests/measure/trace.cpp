// SPDX-License-Identifier: Apache-2.0
#include "measure/trace.h"

#include <algorithm>

#include "engine/replay.h"
#include "engine/validity.h"

namespace refract::measure {
namespace {

// Equal except for their places and names.
bool SameContent(const Module& a, const Module& b, Inst inst) {
  const Instruction& x = a[inst];
  const Instruction& y = b[inst];
  if (x.opcode != y.opcode || x.removed != y.removed || x.type != y.type ||
      x.operand_count != y.operand_count) {
    return false;
  }
  for (uint32_t i = 0; i < x.operand_count; ++i) {
    if (a.IsId(inst, i) != b.IsId(inst, i) || a.Word(inst, i) != b.Word(inst, i)) return false;
  }
  return true;
}

void SortUnique(std::vector<Name>* names) {
  std::sort(names->begin(), names->end());
  names->erase(std::unique(names->begin(), names->end()), names->end());
}

// Notes what differs between a module and its earlier copy.
void NoteChanges(const Module& before, const Module& after, uint32_t number, StepTrace* step,
                 std::map<Name, InstructionSummary>* made) {
  after.ForEachMaybeChanged(before, [&](Inst inst) {
    const Instruction& now = after[inst];
    const bool is_new = static_cast<size_t>(inst) >= before.instruction_slots();
    if (!is_new && before[inst].removed) return;
    if (!is_new && (!SameContent(before, after, inst) || before.NameOf(inst) != now.name)) {
      step->edited.push_back(before.NameOf(inst));
    }
    if (now.removed || before.Find(now.name) != Inst::kNone) return;
    if (now.name.step == number) step->made.push_back(now.name);
    made->emplace(
        now.name,
        InstructionSummary{now.opcode, now.result == Id::kNone ? 0 : after.FileId(now.result)});
  });
  SortUnique(&step->made);
  SortUnique(&step->edited);
}

}  // namespace

Result<ReplayTrace> TraceReplay(const Original& original, const message::Recording& recording,
                                const std::vector<uint32_t>& numbers) {
  ReplayTrace trace;
  trace.steps.resize(recording.steps.size());
  Module before = original.context.module;
  ReplayOptions options;
  options.steps = numbers;
  options.watch = [&](const message::Step& step, const StepOutcome& outcome, const Context& now) {
    StepTrace& seen = trace.steps[static_cast<size_t>(&step - recording.steps.data())];
    seen.kept = true;
    seen.applied = static_cast<bool>(outcome.check_result);
    if (!seen.applied) {
      seen.reason = outcome.check_result.reason();
      message::NameSink names;
      message::NamesIn(step.transformation, names);
      seen.name_missing = std::any_of(names.begin(), names.end(), [&](const Name& name) {
        return now.module.Find(name) == Inst::kNone;
      });
      return;
    }
    NoteChanges(before, now.module, step.number, &seen, &trace.made);
    before = now.module;
  };
  Result<ReplayResult> replayed = Replay(original, recording, options);
  if (!replayed) return replayed.error();
  if (const auto fault = FindValidityError(replayed->context.module, replayed->words, original)) {
    trace.fault = fault->message;
  }
  trace.words = std::move(replayed->words);
  return trace;
}

}  // namespace refract::measure
