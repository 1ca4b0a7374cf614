// SPDX-License-Identifier: Apache-2.0
// Computes an operation on 64-bit ints from operations on their halves: bitwise operations on both
// halves at once, additions and subtractions with a carry or borrow, and comparisons of both
// halves. A bitcast puts the low half first (SPIR-V, OpBitcast).
#include "message/split_wide_operation.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::split_wide_operation {
namespace {

using Message = message::SplitWideOperation;
using spv::Op;
enum Role : uint64_t { kHalves = 1, kHalf = 2, kPair = 3, kStruct = 4, kPart = 5, kResult = 6 };

bool IsSplittable(Op opcode) {
  switch (opcode) {
    case Op::OpBitwiseAnd:
    case Op::OpBitwiseOr:
    case Op::OpBitwiseXor:
    case Op::OpNot:
    case Op::OpIAdd:
    case Op::OpISub:
    case Op::OpIEqual:
    case Op::OpINotEqual:
      return true;
    default:
      return false;
  }
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (!IsSplittable(module.Opcode(inst))) {
    return No("the operation cannot be computed from halves");
  }
  const Id type = module.TypeOf(module.IdAt(inst, 0));
  if (!IsInt(module, type) || Width(module, type) != 64) {
    return No("the operands are not 64-bit ints");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  return Yes();
}

class Splitting {
 public:
  Splitting(ContextEditor& editor, Inst inst)
      : editor_(editor),
        module_(editor.module()),
        inst_(inst),
        half_(Declare(editor, IntType(32, false))),
        halves_(Declare(editor, VectorType(IntType(32, false), 2))),
        builder_(editor, inst, module_.Result(inst)) {}

  void Run() {
    const Op opcode = module_.Opcode(inst_);
    Args operands;
    for (uint32_t i = 0; i < module_.OperandCount(inst_); ++i) {
      operands.push_back(builder_.Compute(Op::OpBitcast, halves_, editor_.Made(kHalves, i),
                                          {module_.IdAt(inst_, i)}));
    }
    editor_.RemoveDecorations(module_.Result(inst_));
    switch (opcode) {
      case Op::OpIEqual:
      case Op::OpINotEqual: {
        const Id bools = Declare(editor_, VectorType(BoolType(), 2));
        const Id compared = builder_.Compute(opcode, bools, editor_.Made(kResult), operands);
        return Become(opcode == Op::OpIEqual ? Op::OpAll : Op::OpAny, compared);
      }
      case Op::OpIAdd:
        return Become(Op::OpBitcast, Carry(Op::OpIAddCarry, opcode, operands));
      case Op::OpISub:
        return Become(Op::OpBitcast, Carry(Op::OpISubBorrow, opcode, operands));
      default:
        return Become(Op::OpBitcast,
                      builder_.Compute(opcode, halves_, editor_.Made(kResult), operands));
    }
  }

 private:
  void Become(Op opcode, Id operand) {
    editor_.SetOpcode(inst_, opcode);
    editor_.SetOperands(inst_, {operand});
  }

  // The sum or difference of both operands: the carry or borrow of the low halves changes the high
  // half.
  Id Carry(Op extended, Op plain, const Args& operands) {
    Id half[2][2];
    for (uint32_t i = 0; i < 2; ++i) {
      for (uint32_t k = 0; k < 2; ++k) {
        half[i][k] = builder_.Extract(*Part(static_cast<Id>(operands[i].word)).Component(k),
                                      editor_.Made(kHalf, i, k));
      }
    }
    const Id pair_type =
        editor_.DeclareDistinct(Op::OpTypeStruct, Id::kNone, editor_.Made(kStruct), {half_, half_});
    const Id low =
        builder_.Compute(extended, pair_type, editor_.Made(kPair), {half[0][0], half[1][0]});
    const Id low_part = builder_.Extract(*Part(low).Component(0), editor_.Made(kPart, 0u));
    const Id carry = builder_.Extract(*Part(low).Component(1), editor_.Made(kPart, 1u));
    const Id high =
        builder_.Compute(plain, half_, editor_.Made(kPart, 2u), {half[0][1], half[1][1]});
    const Id high_part = builder_.Compute(plain, half_, editor_.Made(kPart, 3u), {high, carry});
    return builder_.Construct(halves_, editor_.Made(kResult), {low_part, high_part});
  }

  ContextEditor& editor_;
  const Module& module_;
  const Inst inst_;
  const Id half_, halves_;
  Builder builder_;
};

void Apply(const Message& message, ContextEditor& editor) {
  Splitting(editor, editor.module().Find(message.operation)).Run();
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) {
    return IsSplittable(module.Opcode(inst)) &&
           Width(module, module.TypeOf(module.IdAt(inst, 0))) == 64;
  };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 40}, .follow_ons = {"expand_wide_bitcast", "composite_extract"}});

}  // namespace refract::split_wide_operation
