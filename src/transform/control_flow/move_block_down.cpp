// SPDX-License-Identifier: Apache-2.0
// Moves a block down in the block order of its function.
#include "message/move_block_down.h"

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::move_block_down {
namespace {

using Message = message::MoveBlockDown;

// True if an instruction of `user` other than a phi uses a value defined in `maker`. In an
// unreachable block this is possible without dominance, but the definition must still come first.
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
  // SPIR-V 2.4: a block appears before all blocks that it dominates. This includes structural
  // dominance, so that a header stays before an unreachable merge block.
  if (flow.Dominates(block, other) || flow.StructurallyDominates(block, other)) return false;
  if (flow.Reachable(other)) return true;
  // spirv-val takes the first listed block of an unreachable loop as its beginning, whichever block
  // is the header.
  return !IsUnreachableHeader(module, flow, block) && !UsesValuesOf(module, other, block);
}

// The last block that `block` passes when it moves after `past`; `block` itself if not found.
Block LastPassed(const Module& module, Block block, Block past) {
  Block last = block;
  for (Block at = module[block].next; at != Block::kNone && MayPass(module, block, at);
       at = module[at].next) {
    last = at;
    if (at == past) return last;
  }
  // `block` is already after `past`: nothing to do.
  Block at = module[block].next;
  while (at != Block::kNone && at != past) at = module[at].next;
  return at == Block::kNone ? block : last;
}

// The message names the block to pass instead of meaning the next one, because the next one depends
// on other steps. If some of these are missing, other blocks may be in between, `block` may already
// be in its place, or it may dominate a block on the way, before which it then stops.
CheckResult Check(const Message& message, const View& view) {
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
    // A function with fewer than three blocks has only one order.
    const Block second =
        module[function].first == Block::kNone ? Block::kNone : module[module[function].first].next;
    if (second == Block::kNone || second == module[function].last) return;
    for (Block block = second; block != module[function].last; block = module[block].next) {
      const Block next = module[block].next;
      if (!MayPass(module, block, next) || !proposer.ShouldTry()) continue;
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
