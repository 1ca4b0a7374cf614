// SPDX-License-Identifier: Apache-2.0
// Replaces the branch at the end of a dead block by an exit. The structure does not need the edge:
// a merge block or continue target has a structural edge from its header (SPIR-V 2.11.1), and any
// other successor must have another predecessor.
#include "message/replace_branch_from_dead_block_with_exit.h"

#include "rules/context_editor.h"
#include "rules/legality/condition.h"
#include "rules/legality/dead_exit.h"
#include "rules/legality/function_exit.h"
#include "rules/rule.h"

namespace refract::replace_branch_from_dead_block_with_exit {
namespace {

using Message = message::ReplaceBranchFromDeadBlockWithExit;

CheckResult CheckBlock(const View& view, Block block) {
  const Module& module = view.module();
  if (const CheckResult v = MayBecomeConditional(view, block); !v) return v;
  if (module.MergeInstruction(block) != Inst::kNone) return No("the block is a header");
  // SPIR-V 2.11.2: the back-edge block post-dominates the continue target.
  if (module.Flow(module[block].function).InContinueConstruct(block)) {
    return No("the block is in a continue construct");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Block block = view.BlockEnding(message.branch);
  if (const CheckResult v = CheckBlock(view, block); !v) return v;
  if (!view.IsDead(block)) return No("the block is not known to be dead");
  if (const CheckResult v = MayExit(view, message.exit, module.Terminator(block)); !v) return v;
  return MayRemoveEndEdges(view, block);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Block block = editor.view().BlockEnding(message.branch);
  const Function function = module[block].function;
  RemovePhiInputs(editor, module.Flow(function).Successors(block)[0], block);
  const Args args = ExitArgs(editor, message.exit, function);
  editor.SetTerminator(block, ExitOpcode(module, message.exit, function), args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!MayAddEdges(module)) return;
  const Facts& facts = proposer.view().facts();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (facts.Dead(module.LabelId(block)) == nullptr || !CheckBlock(proposer.view(), block)) {
        return;
      }
      if (!proposer.ShouldTry() || !MayRemoveEndEdges(proposer.view(), block)) return;
      const Inst branch = module.Terminator(block);
      proposer.Offer(Message{module.NameOf(branch), PickExit(proposer, branch)});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 90},
     .follow_ons = {"wrap_early_terminator_in_function", "add_dead_exit",
                    "replace_irrelevant_id"}});

}  // namespace refract::replace_branch_from_dead_block_with_exit
