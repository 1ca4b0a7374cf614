// SPDX-License-Identifier: Apache-2.0
// Splits a subgroup operation on a vector into one for each component. Exchanges move each
// component alike, and operations on ints and booleans treat each component on its own. Sums and
// products of floats are left alone, because their order is not defined.
#include "message/scalarize_subgroup_operation.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "transform/value/lane_exchange.h"

namespace refract::scalarize_subgroup_operation {
namespace {

using Message = message::ScalarizeSubgroupOperation;
using spv::Op;
enum Role : uint64_t { kComponent = 1, kResult = 2 };

// The operand with the vector; 0 for other operations.
uint32_t ValueOperand(Op opcode) {
  if (IsLaneExchange(opcode)) return 1;
  switch (opcode) {
    case Op::OpGroupNonUniformIAdd:
    case Op::OpGroupNonUniformIMul:
    case Op::OpGroupNonUniformSMin:
    case Op::OpGroupNonUniformUMin:
    case Op::OpGroupNonUniformSMax:
    case Op::OpGroupNonUniformUMax:
    case Op::OpGroupNonUniformBitwiseAnd:
    case Op::OpGroupNonUniformBitwiseOr:
    case Op::OpGroupNonUniformBitwiseXor:
    case Op::OpGroupNonUniformLogicalAnd:
    case Op::OpGroupNonUniformLogicalOr:
    case Op::OpGroupNonUniformLogicalXor:
      return 2;
    default:
      return 0;
  }
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (ValueOperand(module.Opcode(inst)) == 0 || !IsVector(module, module.Type(inst))) {
    return No("the operation is not a subgroup operation on each component of a vector");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.operation);
  const Id result = module.Result(inst), type = module.Type(inst);
  const uint32_t at = ValueOperand(module.Opcode(inst));
  const Id value = module.IdAt(inst, at);
  Builder builder(editor, inst, result);
  Args parts;
  for (uint32_t i = 0; i < PartCount(module, type).value(); ++i) {
    const Id component = builder.Extract(*Part(value).Component(i), editor.Made(kComponent, i));
    Args args;
    for (uint32_t k = 0; k < module.OperandCount(inst); ++k) {
      args.push_back(k == at                ? Arg(component)
                     : module.IsId(inst, k) ? Arg(module.IdAt(inst, k))
                                            : Arg(module.Word(inst, k)));
    }
    parts.push_back(builder.Compute(module.Opcode(inst), ElementType(module, type),
                                    editor.Made(kResult, i), args));
  }
  editor.RemoveDecorations(result);
  editor.SetOpcode(inst, Op::OpCompositeConstruct);
  editor.SetOperands(inst, parts);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) {
    return ValueOperand(module.Opcode(inst)) != 0 && IsVector(module, module.Type(inst));
  };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"complement_subgroup_operation", "replace_lane_exchange"}});

}  // namespace refract::scalarize_subgroup_operation
