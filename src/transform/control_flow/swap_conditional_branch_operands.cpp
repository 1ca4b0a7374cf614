// SPDX-License-Identifier: Apache-2.0
// Negates the condition of a conditional branch and swaps its targets.
#include "message/swap_conditional_branch_operands.h"

#include "rules/context_editor.h"
#include "rules/rule.h"
#include "rules/uses.h"

namespace refract::swap_conditional_branch_operands {
namespace {

using Message = message::SwapConditionalBranchOperands;
enum Role : uint64_t { kNegated = 1 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst branch = view.Find(message.branch);
  if (branch == Inst::kNone) return No("the branch does not exist");
  if (module.Opcode(branch) != spv::Op::OpBranchConditional) {
    return No("the instruction is not an OpBranchConditional");
  }
  // A step may have made the branch conditional.
  view.DependOn(branch, 1);
  view.DependOn(branch, 2);
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst branch = module.Find(message.branch);
  const Block block = module.BlockOf(branch);
  const Id condition = module.IdAt(branch, 0);
  const Id negated =
      editor.InsertValue(EndOfBlock(module, block), spv::Op::OpLogicalNot, module.TypeOf(condition),
                         editor.Made(kNegated), {condition});
  // A value computed only from an irrelevant value is irrelevant.
  if (const Steps* why = editor.facts().Irrelevant(condition)) {
    editor.facts().SetIrrelevant(negated, editor.Provenance(*why));
  }
  Args args{negated, module.IdAt(branch, 2), module.IdAt(branch, 1)};
  if (module.OperandCount(branch) == 5) {
    args.push_back(module.Word(branch, 4));
    args.push_back(module.Word(branch, 3));
  }
  editor.SetTerminator(block, spv::Op::OpBranchConditional, args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst branch = module.Terminator(block);
      if (module.Opcode(branch) != spv::Op::OpBranchConditional || !proposer.ShouldTry()) return;
      proposer.Offer(Message{module.NameOf(branch)});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 70}, .follow_ons = {"set_branch_weights"}});

}  // namespace refract::swap_conditional_branch_operands
