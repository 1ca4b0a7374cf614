// SPDX-License-Identifier: Apache-2.0
#include "message/set_branch_weights.h"

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::set_branch_weights {
namespace {

using Message = message::SetBranchWeights;

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst branch = view.Find(message.branch);
  if (branch == Inst::kNone || module.Opcode(branch) != spv::Op::OpBranchConditional) {
    return No("there is no such OpBranchConditional");
  }
  // SPIR-V 3.42.17: the sum must not overflow, and not both may be 0, which here says: none.
  if (message.true_weight > UINT32_MAX - message.false_weight) {
    return No("the sum of the weights overflows");
  }
  // A step may have made it conditional.
  view.CountOn(branch, 1);
  view.CountOn(branch, 2);
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

// Often one that says much: never, always, the largest there is.
uint32_t PickWeight(Proposer& proposer) {
  switch (proposer.Pick(4)) {
    case 0:
      return 0;
    case 1:
      return 1u << proposer.Pick(31);
    case 2:
      return static_cast<uint32_t>(1 + proposer.Pick(100));
    default:
      return 0x7fffffff;
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst branch = module.Terminator(block);
      if (module.Opcode(branch) != spv::Op::OpBranchConditional || !proposer.Toss()) return;
      const Message message{module.NameOf(branch), PickWeight(proposer), PickWeight(proposer)};
      const bool has_weights = module.OperandCount(branch) == 5;
      const bool is_none = message.true_weight == 0 && message.false_weight == 0;
      const bool is_same = has_weights ? module.Word(branch, 3) == message.true_weight &&
                                             module.Word(branch, 4) == message.false_weight
                                       : is_none;
      if (!is_same) proposer.Offer(message);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {20, 90}});

}  // namespace refract::set_branch_weights
