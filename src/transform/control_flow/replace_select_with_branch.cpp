// SPDX-License-Identifier: Apache-2.0
// Turns an OpSelect into a branch. An OpSelect may have an undefined condition if nothing depends
// on its result, but a branch may not. A branch must also not depend on an inexact condition, for
// which the OpSelect might yield the same or nearly the same value either way.
#include "message/replace_select_with_branch.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/context_editor.h"
#include "rules/legality/defined.h"
#include "rules/legality/split.h"
#include "rules/rule.h"
#include "transform/control_flow/empty_sides.h"

namespace refract::replace_select_with_branch {
namespace {

using Message = message::ReplaceSelectWithBranch;

// Checks the instruction, but not its condition.
CheckResult CheckSelect(const Module& module, Inst select) {
  if (select == Inst::kNone || module.Opcode(select) != spv::Op::OpSelect) {
    return No("the OpSelect does not exist");
  }
  const Block block = module.BlockOf(select);
  if (!module.Flow(module[block].function).Reachable(block)) return No("the block is unreachable");
  if (!IsBool(module, module.TypeOf(module.IdAt(select, 0)))) {
    return No("the condition is a vector");
  }
  if (IsPointer(module, module.Type(select))) return No("the value is a pointer");
  if (!IsTouchable(module, module.Result(select))) {
    return No("a decoration on the value forbids the change");
  }
  return MaySplitBefore(module, select);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst select = view.Find(message.select);
  if (const CheckResult v = CheckSelect(module, select); !v) return v;
  if (!message.on_true && !message.on_false) {
    return No("the step must add a block to at least one side of the selection");
  }
  view.DependOn(select, 0);
  return MayBranchOn(view, module.IdAt(select, 0), module.BlockOf(select));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst select = module.Find(message.select);
  const Id condition = module.IdAt(select, 0);
  const Id if_true = module.IdAt(select, 1), if_false = module.IdAt(select, 2);
  const EmptySelection made =
      AddEmptySelection(editor, select, condition, {message.on_true, message.on_false});
  editor.SetOpcode(select, spv::Op::OpPhi);
  editor.SetOperands(
      select, {if_true, module.LabelId(made.from_true), if_false, module.LabelId(made.from_false)});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (module.Opcode(inst) != spv::Op::OpSelect || !proposer.ShouldTry()) return;
        const size_t sides = 1 + proposer.Pick(3);
        Message message{module.NameOf(inst), (sides & 1) != 0, (sides & 2) != 0};
        if (Check(message, proposer.view())) proposer.Offer(message);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 90},
     .follow_ons = {"add_dead_block", "set_selection_control", "swap_conditional_branch_operands",
                    "split_block", "permute_phi_operands"}});

}  // namespace refract::replace_select_with_branch
