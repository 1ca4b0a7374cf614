// SPDX-License-Identifier: Apache-2.0
// Moves an instruction down in its block.
#include "message/move_instruction_down.h"

#include "rules/context_editor.h"
#include "rules/legality/reorder.h"
#include "rules/rule.h"

namespace refract::move_instruction_down {
namespace {

using Message = message::MoveInstructionDown;

// True for the terminator and the merge instruction: no instruction can move after these.
bool IsEnd(const Module& module, Inst inst) {
  const Block block = module.BlockOf(inst);
  return inst == module.Terminator(block) || inst == module.MergeInstruction(block);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.instruction);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  const Inst past = view.Find(message.past);
  if (past == Inst::kNone) return No("the instruction to move past does not exist");
  if (const CheckResult v = MayBeReordered(module, inst); !v) return v;
  if (module.BlockOf(past) != module.BlockOf(inst)) {
    return No("the two instructions are in different blocks");
  }
  if (inst == past || !module.Precedes(inst, past)) {
    return Yes();  // `inst` is already after `past`
  }
  if (IsEnd(module, past)) return No("an instruction cannot be moved past the end of a block");
  for (Inst other = module.Next(inst);; other = module.Next(other)) {
    if (const CheckResult v = MayMoveAfter(view, inst, other); !v) return v;
    if (other == past) return Yes();
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.instruction);
  const Inst past = module.Find(message.past);
  if (inst == past || !module.Precedes(inst, past)) return;
  editor.MoveBefore(inst, module.Next(past));
}

// How many of the next few instructions `inst` can move past.
size_t StepsFrom(const View& view, Inst inst, std::vector<Inst>* passed) {
  constexpr size_t kMost = 16;
  const Module& module = view.module();
  for (Inst other = module.Next(inst); passed->size() < kMost; other = module.Next(other)) {
    if (IsEnd(module, other) || !MayMoveAfter(view, inst, other)) break;
    passed->push_back(other);
  }
  return passed->size();
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      for (Inst inst = module.Next(module.Label(block)); inst != Inst::kNone;
           inst = module.Next(inst)) {
        // An instruction directly before the end of the block cannot move.
        if (IsEnd(module, inst) || IsEnd(module, module.Next(inst))) break;
        if (!proposer.ShouldTry() || !MayBeReordered(module, inst)) continue;
        std::vector<Inst> passed;
        const size_t most = StepsFrom(proposer.view(), inst, &passed);
        if (most == 0) continue;
        const Inst past = passed[proposer.Pick(most)];
        proposer.Offer(Message{module.NameOf(inst), module.NameOf(past)});
      }
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {4, 24}});

}  // namespace refract::move_instruction_down
