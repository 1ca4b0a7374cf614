// SPDX-License-Identifier: Apache-2.0
// Computes a subgroup operation from the opposite operation on complements. For ints, the minimum
// of x is the complement of the maximum of the complements, because ~x is decreasing, and "and" and
// "or" are dual. The values that scans begin with are dual, too. It does not matter which
// invocations take part.
#include "message/complement_subgroup_operation.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::complement_subgroup_operation {
namespace {

using Message = message::ComplementSubgroupOperation;
using spv::Op;
enum Role : uint64_t { kComplement = 1, kResult = 2 };

constexpr Op kPairs[][2] = {
    {Op::OpGroupNonUniformSMin, Op::OpGroupNonUniformSMax},
    {Op::OpGroupNonUniformUMin, Op::OpGroupNonUniformUMax},
    {Op::OpGroupNonUniformBitwiseAnd, Op::OpGroupNonUniformBitwiseOr},
    {Op::OpGroupNonUniformLogicalAnd, Op::OpGroupNonUniformLogicalOr},
    {Op::OpGroupNonUniformAll, Op::OpGroupNonUniformAny},
};

// OpNop if not found.
Op OppositeOf(Op opcode) {
  for (const auto& pair : kPairs) {
    if (pair[0] == opcode) return pair[1];
    if (pair[1] == opcode) return pair[0];
  }
  return Op::OpNop;
}

uint32_t ValueOperand(Op opcode) {
  return opcode == Op::OpGroupNonUniformAll || opcode == Op::OpGroupNonUniformAny ? 1 : 2;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (OppositeOf(module.Opcode(inst)) == Op::OpNop) {
    return No("the operation has no opposite subgroup operation");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.operation);
  const Op opcode = module.Opcode(inst);
  const Id type = module.Type(inst);
  const uint32_t at = ValueOperand(opcode);
  const Op complement = IsBool(module, ScalarType(module, type)) ? Op::OpLogicalNot : Op::OpNot;
  Builder builder(editor, inst, module.Result(inst));
  const Id value = module.IdAt(inst, at);
  const Id turned =
      builder.Compute(complement, module.TypeOf(value), editor.Made(kComplement), {value});
  Args args;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    args.push_back(i == at                ? Arg(turned)
                   : module.IsId(inst, i) ? Arg(module.IdAt(inst, i))
                                          : Arg(module.Word(inst, i)));
  }
  const Id made = builder.Compute(OppositeOf(opcode), type, editor.Made(kResult), args);
  editor.RemoveDecorations(module.Result(inst));
  editor.SetOpcode(inst, complement);
  editor.SetOperands(inst, {made});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return OppositeOf(module.Opcode(inst)) != Op::OpNop; };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"expand_subgroup_vote"}});

}  // namespace refract::complement_subgroup_operation
