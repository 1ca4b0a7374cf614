// SPDX-License-Identifier: Apache-2.0
#include "transform/constant/constant_arithmetic.h"

#include <iterator>

#include "rules/build/bits.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace transform {
namespace {

using message::Constant;
using message::Type;
using spv::Op;
using Kind = Type::Kind;

constexpr ConstantOperation kRows[] = {
    {Op::OpIAdd, Kind::kInt},
    {Op::OpISub, Kind::kInt},
    {Op::OpIMul, Kind::kInt},
    {Op::OpBitwiseAnd, Kind::kInt},
    {Op::OpBitwiseOr, Kind::kInt},
    {Op::OpBitwiseXor, Kind::kInt},
    {Op::OpShiftLeftLogical, Kind::kInt},
    {Op::OpShiftRightLogical, Kind::kInt},
    {Op::OpShiftRightArithmetic, Kind::kInt},
    {Op::OpUDiv, Kind::kInt},
    {Op::OpUMod, Kind::kInt},
    {Op::OpSNegate, Kind::kInt, true},
    {Op::OpNot, Kind::kInt, true},
    {Op::OpLogicalAnd, Kind::kBool},
    {Op::OpLogicalOr, Kind::kBool},
    {Op::OpLogicalEqual, Kind::kBool},
    {Op::OpLogicalNotEqual, Kind::kBool},
    {Op::OpLogicalNot, Kind::kBool, true},
};

// The number of bits of a type by value; 1 for bool.
uint32_t WidthOf(const Type& type) {
  return type.kind == Kind::kBool ? 1 : type.width;
}
bool IsShift(Op op) {
  return op == Op::OpShiftLeftLogical || op == Op::OpShiftRightLogical ||
         op == Op::OpShiftRightArithmetic;
}
bool IsUnsignedDivision(Op op) {
  return op == Op::OpUDiv || op == Op::OpUMod;
}

// The result, not yet truncated to the width; nullopt if it is undefined.
std::optional<uint64_t> Compute(Op op, uint64_t a, uint64_t b, uint32_t width) {
  if ((IsShift(op) && b >= width) || (IsUnsignedDivision(op) && b == 0)) return std::nullopt;
  switch (op) {
    case Op::OpIAdd:
      return a + b;
    case Op::OpISub:
      return a - b;
    case Op::OpIMul:
      return a * b;
    case Op::OpBitwiseAnd:
    case Op::OpLogicalAnd:
      return a & b;
    case Op::OpBitwiseOr:
    case Op::OpLogicalOr:
      return a | b;
    case Op::OpBitwiseXor:
    case Op::OpLogicalNotEqual:
      return a ^ b;
    case Op::OpShiftLeftLogical:
      return a << b;
    case Op::OpShiftRightLogical:
      return a >> b;
    case Op::OpShiftRightArithmetic:
      return static_cast<uint64_t>(SignExtend(a, width) >> b);
    case Op::OpUDiv:
      return a / b;
    case Op::OpUMod:
      return a % b;
    case Op::OpSNegate:
      return -a;
    case Op::OpNot:
    case Op::OpLogicalNot:
      return ~a;
    case Op::OpLogicalEqual:
      return ~(a ^ b);
    default:
      return std::nullopt;
  }
}

// True if the operands may have these types and the result the type `result` (SPIR-V 3.42.13,
// 3.42.14). All have the same width, except a shift amount; the signedness is free unless the
// operation prescribes it.
bool DoTypesFit(const ConstantOperation& row, const Type& result, const Type& left,
                const Type& right) {
  const auto fits = [&](const Type& type) {
    return type.kind == row.kind && !type.declared && WidthOf(type) == WidthOf(result);
  };
  if (IsUnsignedDivision(row.op) && (result.is_signed || left.is_signed || right.is_signed)) {
    return false;
  }
  if (!fits(left)) return false;
  if (row.is_unary) return true;
  return IsShift(row.op) ? right.kind == Kind::kInt && !right.declared : fits(right);
}

struct Operands {
  uint64_t left = 0, right = 0;
};

// Operands for which the operation may yield `wanted`. `a` is one of them, or they are computed
// from it.
Operands Solve(Op op, uint64_t wanted, uint64_t a, uint64_t random, uint32_t width) {
  const uint64_t bits = random % width;
  switch (op) {
    case Op::OpIAdd:
      return {a, wanted - a};
    case Op::OpISub:
      return {a, a - wanted};
    case Op::OpIMul:
      return {a | 1, wanted * InverseOf(a | 1)};
    case Op::OpBitwiseAnd:
      return {wanted | a, wanted | ~a};
    case Op::OpBitwiseOr:
      return {wanted & a, wanted & ~a};
    case Op::OpBitwiseXor:
      return {a, a ^ wanted};
    case Op::OpShiftLeftLogical:
      return {wanted >> bits, bits};
    case Op::OpShiftRightLogical:
    case Op::OpShiftRightArithmetic:
      return {wanted << bits, bits};
    case Op::OpUDiv:
      return {wanted * (1 + bits), 1 + bits};
    case Op::OpUMod:
      return {wanted + (wanted + 1 + bits), wanted + 1 + bits};
    case Op::OpSNegate:
      return {-wanted, 0};
    case Op::OpNot:
    case Op::OpLogicalNot:
      return {~wanted, 0};
    default:
      return {random, random >> 1};
  }
}

}  // namespace

const ConstantOperation* ConstantOperationOf(uint32_t opcode) {
  for (const ConstantOperation& row : kRows) {
    if (static_cast<uint32_t>(row.op) == opcode) return &row;
  }
  return nullptr;
}

std::optional<uint64_t> BitsOf(const Constant& constant, Kind kind) {
  if (constant.type.declared || constant.type.kind != kind || constant.words.empty()) {
    return std::nullopt;
  }
  uint64_t bits = constant.words[0];
  if (constant.words.size() > 1) bits |= uint64_t{constant.words[1]} << 32;
  return bits & LowBits(WidthOf(constant.type));
}

std::optional<uint64_t> Evaluate(const ConstantOperation& row, const Type& result,
                                 const Constant& left, const Constant& right) {
  if (row.is_unary && !(right == Constant())) return std::nullopt;
  if (!DoTypesFit(row, result, left.type, right.type)) return std::nullopt;
  const std::optional<uint64_t> a = BitsOf(left, row.kind);
  const std::optional<uint64_t> b = row.is_unary ? 0 : BitsOf(right, row.kind);
  if (!a || !b) return std::nullopt;
  const std::optional<uint64_t> bits = Compute(row.op, *a, *b, WidthOf(result));
  if (!bits) return std::nullopt;
  return *bits & LowBits(WidthOf(result));
}

std::optional<ConstantFormula> PickFormula(Proposer& proposer, const Constant& wanted,
                                           const std::vector<Constant>& known) {
  const Type& type = wanted.type;
  const uint32_t width = WidthOf(type);
  const uint64_t bits = BitsOf(wanted, type.kind).value();
  for (int tries = 0; tries < 4; ++tries) {
    const ConstantOperation& row = kRows[proposer.Pick(std::size(kRows))];
    if (row.kind != type.kind || (IsUnsignedDivision(row.op) && type.is_signed)) continue;
    uint64_t a = proposer.Pick(32);
    Type left = type;
    if (!known.empty() && proposer.Pick(3) != 0) {
      const Constant& input = known[proposer.Pick(known.size())];
      if (input.type.width == width) {
        a = BitsOf(input, Kind::kInt).value();
        left = input.type;
      }
    }
    const Operands operands = Solve(row.op, bits, a, proposer.Pick(64), width);
    ConstantFormula formula;
    formula.operation = static_cast<uint32_t>(row.op);
    formula.left = ScalarConstant(left, operands.left & LowBits(width));
    formula.right =
        row.is_unary ? Constant{} : ScalarConstant(type, operands.right & LowBits(width));
    if (Evaluate(row, type, formula.left, formula.right) == bits) return formula;
  }
  return std::nullopt;
}

}  // namespace transform
}  // namespace refract
