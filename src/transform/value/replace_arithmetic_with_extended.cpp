// SPDX-License-Identifier: Apache-2.0
// Replaces integer arithmetic by its extended form with a carry, a borrow or a high half. The low
// half equals the result, because ints wrap (SPIR-V 3.42.13). The old instruction, under its name,
// extracts it.
#include "message/replace_arithmetic_with_extended.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/build/formula.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::replace_arithmetic_with_extended {
namespace {

using Message = message::ReplaceArithmeticWithExtended;
using spv::Op;
enum Role : uint64_t { kStruct = 1, kPair = 2, kOperand = 3, kLow = 4 };

// OpNop if not found.
Op ExtendedOf(Op opcode, bool is_signed) {
  switch (opcode) {
    case Op::OpIAdd:
      return is_signed ? Op::OpNop : Op::OpIAddCarry;
    case Op::OpISub:
      return is_signed ? Op::OpNop : Op::OpISubBorrow;
    case Op::OpIMul:
      return is_signed ? Op::OpSMulExtended : Op::OpUMulExtended;
    default:
      return Op::OpNop;
  }
}

// The type of operands and members: that of the result, but unsigned if the operation requires it.
message::Type MemberType(const Module& module, Inst inst, bool is_signed) {
  const Id type = module.Type(inst);
  if (is_signed) return Describe(module, type);
  return WithScalar(Describe(module, type),
                    IntType(Width(module, ScalarType(module, type)), false));
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (ExtendedOf(module.Opcode(inst), message.is_signed) == Op::OpNop) {
    return No("the operation has no equivalent extended operation");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.operation);
  const Id result = module.Result(inst);
  const Op extended = ExtendedOf(module.Opcode(inst), message.is_signed);
  const Id member = Declare(editor, MemberType(module, inst, message.is_signed));
  const Id pair_type =
      editor.DeclareDistinct(Op::OpTypeStruct, Id::kNone, editor.Made(kStruct), {member, member});
  Builder builder(editor, inst, result);
  Args operands;
  for (uint32_t i = 0; i < 2; ++i) {
    Id operand = module.IdAt(inst, i);
    if (module.TypeOf(operand) != member) {
      operand = builder.Compute(Op::OpBitcast, member, editor.Made(kOperand, i), {operand});
    }
    operands.push_back(operand);
  }
  const Id pair = builder.Compute(extended, pair_type, editor.Made(kPair), operands);
  // The result is computed in full precision. RelaxedPrecision would only permit less.
  editor.RemoveDecorations(result);
  if (module.Type(inst) == member) {
    editor.SetOpcode(inst, Op::OpCompositeExtract);
    editor.SetOperands(inst, {pair, 0u});
  } else {
    const Id low = builder.Extract(*Part(pair).Component(0), editor.Made(kLow));
    editor.SetOpcode(inst, Op::OpBitcast);
    editor.SetOperands(inst, {low});
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return ExtendedOf(module.Opcode(inst), false) != Op::OpNop; };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const bool is_signed = module.Opcode(inst) == Op::OpIMul && proposer.Pick(2) == 0;
    const Message message{module.NameOf(inst), is_signed,
                          static_cast<uint32_t>(module.Opcode(inst))};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 40}, .follow_ons = {"swap_commutable_operands", "composite_extract"}});

}  // namespace refract::replace_arithmetic_with_extended
