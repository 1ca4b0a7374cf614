// SPDX-License-Identifier: Apache-2.0
#include "message/move_block_down.h"

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::move_block_down {
namespace {

using Message = message::MoveBlockDown;

// Whether some instruction of `user`, phis apart, uses a value made in `maker`. That can be so
// without dominance if `user` is unreachable, and then the definition still has to be written
// first.
bool UsesValuesOf(const Module& module, Block user, Block maker) {
  bool found = false;
  ForEachInstruction(module, user, [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpPhi) return;
    for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
      if (!module.IsId(inst, i)) continue;
      const Inst definition = module.Definition(module.IdAt(inst, i));
      found = found || (definition != module.Label(maker) && module.BlockOf(definition) == maker);
    }
  });
  return found;
}

bool IsUnreachableHeader(const Module& module, const ControlFlow& flow, Block block) {
  return !flow.Reachable(block) && module.MergeInstruction(block) != Inst::kNone;
}

bool MayPass(const Module& module, Block block, Block other) {
  const ControlFlow& flow = module.Flow(module[block].function);
  // SPIR-V 2.4: blocks appear before all blocks they dominate. Structurally too, so that a header
  // stays before its merge block where that is unreachable.
  if (flow.Dominates(block, other) || flow.StructurallyDominates(block, other)) return false;
  if (flow.Reachable(other)) return true;
  // Among blocks that nothing leads to, the one of a loop that is listed first is where spirv-val
  // begins it, whichever is the header.
  return !IsUnreachableHeader(module, flow, block) && !UsesValuesOf(module, other, block);
}

// The last block that `block` passes on the way behind `past`; itself if there is none.
Block LastPassed(const Module& module, Block block, Block past) {
  Block last = block;
  for (Block at = module[block].next; at != Block::kNone && MayPass(module, block, at);
       at = module[at].next) {
    last = at;
    if (at == past) return last;
  }
  // Behind it already: nothing to pass.
  Block at = module[block].next;
  while (at != Block::kNone && at != past) at = module[at].next;
  return at == Block::kNone ? block : last;
}

// The block to pass is named, not "the next one": which one that is depends on other steps. With
// some of them missing others may stand between, the block may be where it should be already, or
// dominate one that it would pass: then it stops before that.
Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Block block = view.BlockStarting(message.block);
  const Block past = view.BlockStarting(message.past);
  if (block == Block::kNone || past == Block::kNone) return No("the block does not exist");
  const Function function = module[block].function;
  if (module[function].first == block) return No("the block is the entry block");
  if (block == past) return No("the two blocks are the same");
  if (function != module[past].function) return No("the two blocks are in different functions");
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Block block = editor.view().BlockStarting(message.block);
  const Block past = editor.view().BlockStarting(message.past);
  const Block last = LastPassed(editor.module(), block, past);
  if (last != block) editor.MoveBlockAfter(block, last);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    // Fewer than three blocks have only one order.
    const Block second =
        module[function].first == Block::kNone ? Block::kNone : module[module[function].first].next;
    if (second == Block::kNone || second == module[function].last) return;
    for (Block block = second; block != module[function].last; block = module[block].next) {
      const Block next = module[block].next;
      if (!MayPass(module, block, next) || !proposer.Toss()) continue;
      proposer.Offer(
          Message{module.NameOf(module.Label(block)), module.NameOf(module.Label(next))});
    }
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 50}, .follow_ons = {"move_block_down"}});

}  // namespace refract::move_block_down
