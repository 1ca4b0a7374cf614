// SPDX-License-Identifier: Apache-2.0
#include "message/move_block_down.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

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

Verdict CheckBlock(const Module& module, Block block) {
  const Function function = module[block].function;
  if (module[function].first == block) return No("the block is the entry block");
  const Block next = module[block].next;
  if (next == Block::kNone) return No("the block is the last one");
  const ControlFlow& flow = module.Flow(function);
  // SPIR-V 2.4: blocks appear before all blocks they dominate. Structurally too, so that a header
  // stays before its merge block where that is unreachable.
  if (flow.Dominates(block, next) || flow.StructurallyDominates(block, next)) {
    return No("the block dominates the next one");
  }
  if (!flow.Reachable(next) && UsesValuesOf(module, next, block)) {
    return No("the next block uses a value of this one");
  }
  return Yes();
}

Verdict Check(const Message& message, const View& view) {
  const Block block = view.BlockStarting(message.block);
  if (block == Block::kNone) return No("the block is not there");
  return CheckBlock(view.module(), block);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Block block = editor.view().BlockStarting(message.block);
  editor.MoveBlockAfter(block, editor.module()[block].next);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    // Fewer than three blocks have only one order.
    const Block second =
        module[function].first == Block::kNone ? Block::kNone : module[module[function].first].next;
    if (second == Block::kNone || second == module[function].last) return;
    for (Block block = second; block != module[function].last; block = module[block].next) {
      if (!CheckBlock(module, block) || !proposer.Toss()) continue;
      proposer.Offer(Message{module.NameOf(module.Label(block))});
    }
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 50}, .follow_ons = {"move_block_down"}});

}  // namespace refract::move_block_down
