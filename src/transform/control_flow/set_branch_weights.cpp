// SPDX-License-Identifier: Apache-2.0
// Sets or removes the branch weights of a conditional branch.
#include "message/set_branch_weights.h"

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::set_branch_weights {
namespace {

using Message = message::SetBranchWeights;

CheckResult Check(const Message& message, const View& view) {
  const Inst branch = view.Find(message.branch);
  if (branch == Inst::kNone || view.module().Opcode(branch) != spv::Op::OpBranchConditional) {
    return No("the OpBranchConditional does not exist");
  }
  // A step may have made the branch conditional.
  for (uint32_t i = 0; i < 3; ++i) view.DependOn(branch, i);
  // OpBranchConditional: "At least one weight must be non-zero. ... The two weights must not
  // overflow a 32-bit unsigned integer when added together." If both are zero, the weights are
  // removed.
  if (message.true_weight > ~message.false_weight) {
    return No("the sum of the weights does not fit in 32 bits");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst branch = module.Find(message.branch);
  Args args{module.IdAt(branch, 0), module.IdAt(branch, 1), module.IdAt(branch, 2)};
  if (message.true_weight != 0 || message.false_weight != 0) {
    args.push_back(message.true_weight);
    args.push_back(message.false_weight);
  }
  editor.SetTerminator(module.BlockOf(branch), spv::Op::OpBranchConditional, args);
}

// Picks a medium, a small or an extreme weight.
uint32_t PickWeight(Proposer& proposer) {
  constexpr uint32_t kMost = 0x7fffffffu;
  switch (proposer.Pick(4)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return static_cast<uint32_t>(1 + proposer.Pick(1000));
    default:
      return kMost;
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst branch = module.Terminator(block);
      if (module.Opcode(branch) != spv::Op::OpBranchConditional || !proposer.ShouldTry()) return;
      const uint32_t true_weight = PickWeight(proposer), false_weight = PickWeight(proposer);
      const bool has_weights = module.OperandCount(branch) == 5;
      const bool is_same = has_weights ? module.Word(branch, 3) == true_weight &&
                                             module.Word(branch, 4) == false_weight
                                       : true_weight == 0 && false_weight == 0;
      if (!is_same) proposer.Offer(Message{module.NameOf(branch), true_weight, false_weight});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {10, 80}});

}  // namespace refract::set_branch_weights
