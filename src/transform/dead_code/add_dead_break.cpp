// SPDX-License-Identifier: Apache-2.0
// Adds an edge that is never taken, from a block to the merge block of a construct around it.
#include "message/add_dead_break.h"

#include <algorithm>

#include "rules/legality/condition.h"
#include "rules/legality/dead_exit.h"

namespace refract::add_dead_break {
namespace {

using Message = message::AddDeadBreak;

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Block from = view.BlockEnding(message.branch);
  if (const CheckResult v = MayBecomeConditional(view, from); !v) return v;
  const Block merge = view.BlockStarting(message.merge);
  if (merge == Block::kNone) return No("the merge block does not exist");
  const std::vector<Block> targets = BreakTargets(module.Flow(module[from].function), from);
  if (std::find(targets.begin(), targets.end(), merge) == targets.end()) {
    return No("the block cannot break to this merge block");
  }
  DependOnConstruct(view, module.Flow(module[from].function).HeaderOfMerge(merge));
  if (const CheckResult v = MayAddDeadExit(module, from, merge); !v) return v;
  return IsTrueAt(view, message.condition, module.Terminator(from));
}

void Apply(const Message& message, ContextEditor& editor) {
  AddDeadExit(editor, editor.view().BlockEnding(message.branch),
              editor.view().BlockStarting(message.merge), message.condition);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!MayAddEdges(module)) return;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block from) {
      if (module.Opcode(module.Terminator(from)) != spv::Op::OpBranch) return;
      const ControlFlow& flow = module.Flow(function);
      if (!flow.Reachable(from) || flow.InnermostConstruct(from) == Construct::kNone) return;
      std::vector<Block> targets = BreakTargets(flow, from);
      std::erase(targets, flow.Successors(from)[0]);
      if (targets.empty() || !proposer.ShouldTry()) return;
      const Block merge = targets[proposer.Pick(targets.size())];
      if (!MayAddDeadExit(module, from, merge)) return;
      proposer.Offer(Message{module.NameOf(module.Terminator(from)),
                             module.NameOf(module.Label(merge)),
                             PickTrueCondition(proposer, from)});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 80},
     .follow_ons = {"replace_bool_constant_with_comparison", "split_block",
                    "replace_constant_with_opaque_value", "replace_operand_with_undef"}});

}  // namespace refract::add_dead_break
