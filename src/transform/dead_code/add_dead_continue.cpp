// SPDX-License-Identifier: Apache-2.0
// Adds an edge that is never taken, from a block to the continue target of its innermost loop.
#include "message/add_dead_continue.h"

#include "rules/legality/condition.h"
#include "rules/legality/dead_exit.h"

namespace refract::add_dead_continue {
namespace {

using Message = message::AddDeadContinue;

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Block from = view.BlockEnding(message.branch);
  if (const CheckResult v = MayBecomeConditional(view, from); !v) return v;
  const Block target = ContinueTarget(module.Flow(module[from].function), from);
  if (target == Block::kNone) return No("the block is not in the body of a loop");
  DependOnConstruct(view, module.Flow(module[from].function).HeaderOfContinue(target));
  if (const CheckResult v = MayAddDeadExit(module, from, target); !v) return v;
  return IsTrueAt(view, message.condition, module.Terminator(from));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Block from = editor.view().BlockEnding(message.branch);
  AddDeadExit(editor, from, ContinueTarget(module.Flow(module[from].function), from),
              message.condition);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!MayAddEdges(module)) return;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block from) {
      if (module.Opcode(module.Terminator(from)) != spv::Op::OpBranch) return;
      const ControlFlow& flow = module.Flow(function);
      if (!flow.Reachable(from)) return;
      const Block target = ContinueTarget(flow, from);
      if (target == Block::kNone || flow.Successors(from)[0] == target) return;
      if (!proposer.ShouldTry() || !MayAddDeadExit(module, from, target)) return;
      proposer.Offer(
          Message{module.NameOf(module.Terminator(from)), PickTrueCondition(proposer, from)});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 80},
     .follow_ons = {"replace_bool_constant_with_comparison", "split_block",
                    "replace_constant_with_opaque_value", "replace_operand_with_undef"}});

}  // namespace refract::add_dead_continue
