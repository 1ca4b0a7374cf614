// SPDX-License-Identifier: Apache-2.0
// Replaces bit fields, bit counts and bit reversals by shifts and masks, and shifts and masks by
// bit fields. The old instruction, under its name, becomes the last of the operations.
#include "message/replace_bit_operation.h"

#include <optional>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/bits.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/build/formula.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::replace_bit_operation {
namespace {

using Message = message::ReplaceBitOperation;
using spv::Op;
enum Role : uint64_t { kStep = 1 };

// The bits that the operation selects, as far as constants define them.
struct Bits {
  uint64_t offset = 0, count = 0;
  uint32_t masked = 0;  // for OpBitwiseAnd: the operand that is not the mask
};

bool IsReplaceable(Op opcode) {
  switch (opcode) {
    case Op::OpBitFieldInsert:
    case Op::OpBitFieldSExtract:
    case Op::OpBitFieldUExtract:
    case Op::OpBitReverse:
    case Op::OpBitCount:
    case Op::OpShiftLeftLogical:
    case Op::OpShiftRightLogical:
    case Op::OpShiftRightArithmetic:
    case Op::OpBitwiseAnd:
      return true;
    default:
      return false;
  }
}

// The mask of an OpBitwiseAnd, if it selects low bits.
std::optional<Bits> MaskOf(const View& view, Inst inst) {
  for (uint32_t i : {1u, 0u}) {
    const std::optional<uint64_t> mask = LiteralInAllComponents(view, inst, i);
    if (!mask || (*mask & (*mask + 1)) != 0) continue;
    Bits bits;
    while (bits.count < 64 && LowBits(bits.count) != *mask) ++bits.count;
    bits.masked = 1 - i;
    return bits;
  }
  return std::nullopt;
}

// Nullopt if the bits are not constant or the operation is undefined.
std::optional<Bits> BitsOf(const View& view, Inst inst, uint32_t width) {
  const Op opcode = view.module().Opcode(inst);
  if (opcode == Op::OpBitwiseAnd) return MaskOf(view, inst);
  if (opcode == Op::OpBitReverse || opcode == Op::OpBitCount) return Bits{0, width, 0};
  const bool is_shift = opcode == Op::OpShiftLeftLogical || opcode == Op::OpShiftRightLogical ||
                        opcode == Op::OpShiftRightArithmetic;
  const uint32_t at = opcode == Op::OpBitFieldInsert ? 2 : 1;
  const std::optional<uint64_t> offset = LiteralInAllComponents(view, inst, at);
  if (!offset || *offset >= width) return std::nullopt;
  if (is_shift) return Bits{*offset, width - *offset, 0};
  const std::optional<uint64_t> count = LiteralInAllComponents(view, inst, at + 1);
  if (!count || *count > width - *offset) return std::nullopt;
  return Bits{*offset, *count, 0};
}

// True if the new form uses bit-field instructions.
bool BecomesField(Op opcode) {
  return opcode == Op::OpShiftLeftLogical || opcode == Op::OpShiftRightLogical ||
         opcode == Op::OpShiftRightArithmetic || opcode == Op::OpBitwiseAnd;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (!IsReplaceable(module.Opcode(inst))) {
    return No("the instruction is not a bit operation with an equivalent form");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  const Op opcode = module.Opcode(inst);
  const Id type = module.Type(inst);
  const uint32_t width = Width(module, ScalarType(module, type));
  const std::optional<Bits> bits = BitsOf(view, inst, width);
  if (!bits) return No("the bits that the operation affects are not given by constants");
  const Id operand = module.TypeOf(module.IdAt(inst, bits->masked));
  if (opcode == Op::OpBitFieldSExtract) {
    if (bits->count == 0) return No("a bit field with zero bits has no sign bit");
  } else if (opcode == Op::OpBitCount) {
    if (Width(module, ScalarType(module, operand)) != width) {
      return No("the bit count and the operand have different widths");
    }
  } else if (BecomesField(opcode)) {
    if (CheckResult may = MayUseBitFields(module, type); !may) return may;
    if (operand != type) return No("the operand and the result have different types");
  }
  return Yes();
}

class Replacing {
 public:
  Replacing(ContextEditor& editor, Inst inst)
      : editor_(editor),
        module_(editor.module()),
        inst_(inst),
        type_(module_.Type(inst)),
        width_(Width(module_, ScalarType(module_, type_))),
        bits_(*BitsOf(editor.view(), inst, width_)),
        builder_(editor, inst, module_.Result(inst)) {}

  void Run() {
    const Id x = module_.IdAt(inst_, bits_.masked);
    const auto offset = static_cast<uint32_t>(bits_.offset);
    const auto count = static_cast<uint32_t>(bits_.count);
    // The result is computed in full precision. RelaxedPrecision would only permit less.
    editor_.RemoveDecorations(module_.Result(inst_));
    switch (module_.Opcode(inst_)) {
      case Op::OpShiftLeftLogical:
        return Last(Op::OpBitFieldInsert, {All(0), x, Uint(offset), Uint(count)});
      case Op::OpShiftRightLogical:
      case Op::OpBitwiseAnd:
        return Last(Op::OpBitFieldUExtract, {x, Uint(offset), Uint(count)});
      case Op::OpShiftRightArithmetic:
        return Last(Op::OpBitFieldSExtract, {x, Uint(offset), Uint(count)});
      case Op::OpBitFieldUExtract:
        return Last(Op::OpBitwiseAnd, {Right(x, offset), All(LowBits(count))});
      case Op::OpBitFieldSExtract:
        return Last(Op::OpShiftRightArithmetic,
                    {Left(x, width_ - offset - count), All(width_ - count)});
      case Op::OpBitFieldInsert:
        return Insert(x, module_.IdAt(inst_, 1), offset, LowBits(count) << offset);
      case Op::OpBitReverse:
        return Reverse(x);
      default:
        return Count(x);
    }
  }

 private:
  Id All(uint64_t bits) { return Declare(editor_, SplatConstant(Describe(module_, type_), bits)); }
  Id Uint(uint32_t value) { return Declare(editor_, ScalarConstant(IntType(32, false), value)); }
  Id Step(Op opcode, const Args& args) {
    return builder_.Compute(opcode, type_, editor_.Made(kStep, steps_++), args);
  }
  Id Right(Id x, uint32_t by) { return Step(Op::OpShiftRightLogical, {x, All(by)}); }
  Id Left(Id x, uint32_t by) { return Step(Op::OpShiftLeftLogical, {x, All(by)}); }
  Id And(Id x, uint64_t mask) { return Step(Op::OpBitwiseAnd, {x, All(mask)}); }
  void Last(Op opcode, const Args& args) {
    editor_.SetOpcode(inst_, opcode);
    editor_.SetOperands(inst_, args);
  }

  void Insert(Id x, Id what, uint32_t offset, uint64_t mask) {
    const Id rest = And(x, ~mask);
    Last(Op::OpBitwiseOr, {rest, And(Left(what, offset), mask)});
  }

  // A mask of the lower halves of all fields of 2 * `bits` bits.
  uint64_t LowerHalves(uint32_t bits) const {
    uint64_t mask = 0;
    for (uint32_t at = 0; at < width_; at += 2 * bits) mask |= LowBits(bits) << at;
    return mask;
  }

  // Swaps neighbouring bits, then pairs of bits, and so on.
  void Reverse(Id x) {
    uint32_t bits = 1;
    for (; 2 * bits < width_; bits *= 2) {
      const Id upper = And(Right(x, bits), LowerHalves(bits));
      x = Step(Op::OpBitwiseOr, {upper, Left(And(x, LowerHalves(bits)), bits)});
    }
    const Id upper = Right(x, bits);
    Last(Op::OpBitwiseOr, {upper, Left(x, bits)});
  }

  // Counts the set bits of each pair, then of each four, then of each byte. The highest byte of the
  // product is the sum of all bytes.
  void Count(Id x) {
    x = Step(Op::OpISub, {x, And(Right(x, 1), LowerHalves(1))});
    const Id low = And(x, LowerHalves(2));
    x = Step(Op::OpIAdd, {low, And(Right(x, 2), LowerHalves(2))});
    x = And(Step(Op::OpIAdd, {x, Right(x, 4)}), LowerHalves(4));
    uint64_t ones = 0;
    for (uint32_t at = 0; at < width_; at += 8) ones |= uint64_t{1} << at;
    Last(Op::OpShiftRightLogical, {Step(Op::OpIMul, {x, All(ones)}), All(width_ - 8)});
  }

  ContextEditor& editor_;
  const Module& module_;
  const Inst inst_;
  const Id type_;
  const uint32_t width_;
  const Bits bits_;
  Builder builder_;
  uint32_t steps_ = 0;
};

void Apply(const Message& message, ContextEditor& editor) {
  Replacing(editor, editor.module().Find(message.operation)).Run();
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return IsReplaceable(module.Opcode(inst)); };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60},
     .follow_ons = {"replace_constant_with_uniform", "split_bit_operation",
                    "swap_commutable_operands"}});

}  // namespace refract::replace_bit_operation
