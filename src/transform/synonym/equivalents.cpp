// SPDX-License-Identifier: Apache-2.0
#include "transform/synonym/equivalents.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>

#include "rules/build/bits.h"

namespace refract {
inline namespace transform {
namespace {

using Form = message::AddArithmeticSynonym::Form;
using Op = spv::Op;
using enum Term;

constexpr FormulaOp Bool(Op op, Term a, Term b) {
  return {op, {a, b}, FormulaType::kBool};
}

// Ints wrap (SPIR-V 3.42.13), so these identities hold modulo 2^width.
constexpr Equivalent kInts[] = {
    {Form::kAddAsSubtract, Op::OpIAdd, 0, {{Op::OpSNegate, {kY}}, {Op::OpISub, {kX, kT0}}}},
    {Form::kAddAsCarry,
     Op::OpIAdd,
     0,
     {{Op::OpBitwiseXor, {kX, kY}},
      {Op::OpBitwiseAnd, {kX, kY}},
      {Op::OpShiftLeftLogical, {kT1, kOne}},
      {Op::OpIAdd, {kT0, kT2}}}},
    {Form::kAddAsOrAnd,
     Op::OpIAdd,
     0,
     {{Op::OpBitwiseOr, {kX, kY}}, {Op::OpBitwiseAnd, {kX, kY}}, {Op::OpIAdd, {kT0, kT1}}}},
    {Form::kAddAsNot,
     Op::OpIAdd,
     0,
     {{Op::OpNot, {kX}}, {Op::OpISub, {kT0, kY}}, {Op::OpNot, {kT1}}}},
    {Form::kSubtractAsAdd, Op::OpISub, 0, {{Op::OpSNegate, {kY}}, {Op::OpIAdd, {kX, kT0}}}},
    {Form::kSubtractAsNot,
     Op::OpISub,
     0,
     {{Op::OpNot, {kX}}, {Op::OpIAdd, {kT0, kY}}, {Op::OpNot, {kT1}}}},
    {Form::kSubtractAsBorrow,
     Op::OpISub,
     0,
     {{Op::OpBitwiseXor, {kX, kY}},
      {Op::OpNot, {kX}},
      {Op::OpBitwiseAnd, {kT1, kY}},
      {Op::OpShiftLeftLogical, {kT2, kOne}},
      {Op::OpISub, {kT0, kT3}}}},
    {Form::kNegateAsNot, Op::OpSNegate, 0, {{Op::OpNot, {kX}}, {Op::OpIAdd, {kT0, kOne}}}},
    {Form::kNegateAsSubtract, Op::OpSNegate, 0, {{Op::OpISub, {kZero, kX}}}},
    {Form::kNegateAsMultiply, Op::OpSNegate, 0, {{Op::OpIMul, {kX, kOnes}}}},
    {Form::kNotAsXor, Op::OpNot, 0, {{Op::OpBitwiseXor, {kX, kOnes}}}},
    {Form::kNotAsNegate, Op::OpNot, 0, {{Op::OpSNegate, {kX}}, {Op::OpISub, {kT0, kOne}}}},
    {Form::kNotAsSubtract, Op::OpNot, 0, {{Op::OpISub, {kOnes, kX}}}},
    {Form::kDeMorgan,
     Op::OpBitwiseAnd,
     0,
     {{Op::OpNot, {kX}}, {Op::OpNot, {kY}}, {Op::OpBitwiseOr, {kT0, kT1}}, {Op::OpNot, {kT2}}}},
    {Form::kDeMorgan,
     Op::OpBitwiseOr,
     0,
     {{Op::OpNot, {kX}}, {Op::OpNot, {kY}}, {Op::OpBitwiseAnd, {kT0, kT1}}, {Op::OpNot, {kT2}}}},
    {Form::kAndAsAdd,
     Op::OpBitwiseAnd,
     0,
     {{Op::OpIAdd, {kX, kY}}, {Op::OpBitwiseOr, {kX, kY}}, {Op::OpISub, {kT0, kT1}}},
     Literals::kNone,
     kSureValues},
    {Form::kAndAsXor,
     Op::OpBitwiseAnd,
     0,
     {{Op::OpBitwiseOr, {kX, kY}}, {Op::OpBitwiseXor, {kX, kY}}, {Op::OpBitwiseXor, {kT0, kT1}}},
     Literals::kNone,
     kSureValues},
    {Form::kOrAsXor,
     Op::OpBitwiseOr,
     0,
     {{Op::OpBitwiseXor, {kX, kY}}, {Op::OpBitwiseAnd, {kX, kY}}, {Op::OpIAdd, {kT0, kT1}}},
     Literals::kNone,
     kSureValues},
    {Form::kOrAsAdd,
     Op::OpBitwiseOr,
     0,
     {{Op::OpNot, {kX}}, {Op::OpBitwiseAnd, {kT0, kY}}, {Op::OpIAdd, {kX, kT1}}},
     Literals::kNone,
     kSureValues},
    {Form::kXorAsOrAnd,
     Op::OpBitwiseXor,
     0,
     {{Op::OpBitwiseOr, {kX, kY}}, {Op::OpBitwiseAnd, {kX, kY}}, {Op::OpISub, {kT0, kT1}}}},
    {Form::kXorAsAdd,
     Op::OpBitwiseXor,
     0,
     {{Op::OpIAdd, {kX, kY}},
      {Op::OpBitwiseAnd, {kX, kY}},
      {Op::OpShiftLeftLogical, {kT1, kOne}},
      {Op::OpISub, {kT0, kT2}}}},
    {Form::kXorAsMasks,
     Op::OpBitwiseXor,
     0,
     {{Op::OpNot, {kX}},
      {Op::OpBitwiseAnd, {kT0, kY}},
      {Op::OpNot, {kY}},
      {Op::OpBitwiseAnd, {kX, kT2}},
      {Op::OpBitwiseOr, {kT1, kT3}}}},
    {Form::kMultiplyAsShift,
     Op::OpIMul,
     0,
     {{Op::OpShiftLeftLogical, {kX, kA}}},
     Literals::kPowerOfTwo},
    {Form::kMultiplyAsAdd, Op::OpIMul, 0, {{Op::OpIAdd, {kX, kX}}}, Literals::kTwo},
    {Form::kMultiplyAsSum,
     Op::OpIMul,
     0,
     {{Op::OpShiftLeftLogical, {kX, kA}}, {Op::OpIMul, {kX, kB}}, {Op::OpIAdd, {kT0, kT1}}},
     Literals::kNumber},
    {Form::kMultiplyNegated,
     Op::OpIMul,
     0,
     {{Op::OpSNegate, {kY}}, {Op::OpIMul, {kX, kT0}}, {Op::OpSNegate, {kT1}}}},
    {Form::kMultiplyOneLess,
     Op::OpIMul,
     0,
     {{Op::OpISub, {kY, kOne}}, {Op::OpIMul, {kX, kT0}}, {Op::OpIAdd, {kT1, kX}}},
     Literals::kNone,
     kSureValues},
    {Form::kShiftAsMultiply, Op::OpShiftLeftLogical, 0, {{Op::OpIMul, {kX, kC}}}, Literals::kShift},
    {Form::kShiftAsDivide,
     Op::OpShiftRightLogical,
     0,
     {{Op::OpUDiv, {kX, kC}}},
     Literals::kShift,
     kUnsigned},
    {Form::kShiftAsBitField,
     Op::OpShiftRightLogical,
     0,
     {{Op::OpBitFieldUExtract, {kX, kCountA, kCountB}}},
     Literals::kShift,
     kBitField},
    {Form::kShiftAsBitField,
     Op::OpShiftRightArithmetic,
     0,
     {{Op::OpBitFieldSExtract, {kX, kCountA, kCountB}}},
     Literals::kShift,
     kBitField},
    {Form::kShiftLogically,
     Op::OpShiftRightArithmetic,
     0,
     {{Op::OpShiftRightLogical, {kX, kA}}, {Op::OpBitwiseXor, {kT0, kB}}, {Op::OpISub, {kT1, kB}}},
     Literals::kShiftTop},
    {Form::kDivideAsShift,
     Op::OpUDiv,
     0,
     {{Op::OpShiftRightLogical, {kX, kA}}},
     Literals::kPowerOfTwo},
    {Form::kRemainderAsMask, Op::OpUMod, 0, {{Op::OpBitwiseAnd, {kX, kB}}}, Literals::kPowerOfTwo},
    // The division is undefined for the same divisors as the remainder.
    {Form::kRemainderAsDivide,
     Op::OpUMod,
     0,
     {{Op::OpUDiv, {kX, kY}}, {Op::OpIMul, {kT0, kY}}, {Op::OpISub, {kX, kT1}}}},
    {Form::kMaskAsRemainder,
     Op::OpBitwiseAnd,
     0,
     {{Op::OpUMod, {kX, kB}}},
     Literals::kMaskBelow,
     kUnsigned},
    {Form::kMaskAsBitField,
     Op::OpBitwiseAnd,
     0,
     {{Op::OpBitFieldUExtract, {kX, kZeroCount, kCountA}}},
     Literals::kMask,
     kBitField},
    {Form::kBitFieldAsShifts,
     Op::OpBitFieldUExtract,
     0,
     {{Op::OpShiftLeftLogical, {kX, kA}}, {Op::OpShiftRightLogical, {kT0, kB}}},
     Literals::kField},
    {Form::kBitFieldAsShifts,
     Op::OpBitFieldSExtract,
     0,
     {{Op::OpShiftLeftLogical, {kX, kA}}, {Op::OpShiftRightArithmetic, {kT0, kB}}},
     Literals::kField},
    {Form::kBitFieldAsShifts,
     Op::OpBitFieldInsert,
     0,
     {{Op::OpBitwiseAnd, {kX, kA}},
      {Op::OpShiftLeftLogical, {kY, kB}},
      {Op::OpBitwiseAnd, {kT1, kC}},
      {Op::OpBitwiseOr, {kT0, kT2}}},
     Literals::kInsert},
    {Form::kAsSelect,
     Op::OpExtInst,
     GLSLstd450SMin,
     {Bool(Op::OpSLessThan, kX, kY), {Op::OpSelect, {kT0, kX, kY}}},
     Literals::kNone,
     kSameTypes},
    {Form::kAsSelect,
     Op::OpExtInst,
     GLSLstd450UMin,
     {Bool(Op::OpULessThan, kX, kY), {Op::OpSelect, {kT0, kX, kY}}},
     Literals::kNone,
     kSameTypes},
    {Form::kAsSelect,
     Op::OpExtInst,
     GLSLstd450SMax,
     {Bool(Op::OpSLessThan, kX, kY), {Op::OpSelect, {kT0, kY, kX}}},
     Literals::kNone,
     kSameTypes},
    {Form::kAsSelect,
     Op::OpExtInst,
     GLSLstd450UMax,
     {Bool(Op::OpULessThan, kX, kY), {Op::OpSelect, {kT0, kY, kX}}},
     Literals::kNone,
     kSameTypes},
    {Form::kAsMinMax,
     Op::OpExtInst,
     GLSLstd450SAbs,
     {{Op::OpSNegate, {kX}}, Glsl(GLSLstd450SMax, kX, kT0)}},
    {Form::kAsMinMax,
     Op::OpExtInst,
     GLSLstd450SClamp,
     {Glsl(GLSLstd450SMax, kX, kY), Glsl(GLSLstd450SMin, kT0, kZ)}},
    {Form::kAsMinMax,
     Op::OpExtInst,
     GLSLstd450UClamp,
     {Glsl(GLSLstd450UMax, kX, kY), Glsl(GLSLstd450UMin, kT0, kZ)}},
};

struct WideRow {
  Op op;
  enum : uint8_t { kEither, kSigned, kUnsigned } extension;
  enum : uint8_t { kOne, kTwo, kShift, kCompare } kind;
};

// Operations that give the same low bits, or the same truth value, if their operands are extended
// like this.
constexpr WideRow kWideRows[] = {
    {Op::OpIAdd, WideRow::kEither, WideRow::kTwo},
    {Op::OpISub, WideRow::kEither, WideRow::kTwo},
    {Op::OpIMul, WideRow::kEither, WideRow::kTwo},
    {Op::OpBitwiseAnd, WideRow::kEither, WideRow::kTwo},
    {Op::OpBitwiseOr, WideRow::kEither, WideRow::kTwo},
    {Op::OpBitwiseXor, WideRow::kEither, WideRow::kTwo},
    {Op::OpNot, WideRow::kEither, WideRow::kOne},
    {Op::OpSNegate, WideRow::kEither, WideRow::kOne},
    {Op::OpUDiv, WideRow::kUnsigned, WideRow::kTwo},
    {Op::OpUMod, WideRow::kUnsigned, WideRow::kTwo},
    {Op::OpSDiv, WideRow::kSigned, WideRow::kTwo},
    {Op::OpShiftLeftLogical, WideRow::kEither, WideRow::kShift},
    {Op::OpShiftRightLogical, WideRow::kUnsigned, WideRow::kShift},
    {Op::OpShiftRightArithmetic, WideRow::kSigned, WideRow::kShift},
    {Op::OpIEqual, WideRow::kEither, WideRow::kCompare},
    {Op::OpINotEqual, WideRow::kEither, WideRow::kCompare},
    {Op::OpULessThan, WideRow::kUnsigned, WideRow::kCompare},
    {Op::OpULessThanEqual, WideRow::kUnsigned, WideRow::kCompare},
    {Op::OpUGreaterThan, WideRow::kUnsigned, WideRow::kCompare},
    {Op::OpUGreaterThanEqual, WideRow::kUnsigned, WideRow::kCompare},
    {Op::OpSLessThan, WideRow::kSigned, WideRow::kCompare},
    {Op::OpSLessThanEqual, WideRow::kSigned, WideRow::kCompare},
    {Op::OpSGreaterThan, WideRow::kSigned, WideRow::kCompare},
    {Op::OpSGreaterThanEqual, WideRow::kSigned, WideRow::kCompare},
};

}  // namespace

std::span<const Equivalent> IntEquivalents() {
  return kInts;
}

const Equivalent* FindEquivalent(Form form, Op op, uint32_t glsl) {
  for (const auto rows : {IntEquivalents(), BoolEquivalents()}) {
    for (const Equivalent& row : rows) {
      if (row.form == form && row.op == op && (op != Op::OpExtInst || row.glsl == glsl)) {
        return &row;
      }
    }
  }
  return nullptr;
}

bool MayBeWidened(Op op) {
  return std::any_of(std::begin(kWideRows), std::end(kWideRows),
                     [&](const WideRow& row) { return row.op == op; });
}

std::optional<Widened> WidenedForm(Op op, bool result_is_signed) {
  for (const WideRow& row : kWideRows) {
    if (row.op != op) continue;
    Widened widened;
    widened.is_signed = row.extension == WideRow::kSigned ||
                        (row.extension == WideRow::kEither && result_is_signed);
    const Op extend = widened.is_signed ? Op::OpSConvert : Op::OpUConvert;
    widened.steps.push_back({extend, {kX}, FormulaType::kWide});
    const bool has_two = row.kind == WideRow::kTwo || row.kind == WideRow::kCompare;
    if (has_two) widened.steps.push_back({extend, {kY}, FormulaType::kWide});
    // The shift amount can have any width.
    const Term second = has_two ? kT1 : row.kind == WideRow::kShift ? kY : kNone;
    const bool compares = row.kind == WideRow::kCompare;
    widened.steps.push_back(
        {op, {kT0, second}, compares ? FormulaType::kResult : FormulaType::kWide});
    if (compares) return widened;
    const Term last = has_two ? kT2 : kT1;
    widened.steps.push_back({result_is_signed ? Op::OpSConvert : Op::OpUConvert, {last}});
    return widened;
  }
  return std::nullopt;
}

std::optional<std::array<uint64_t, 3>> NumbersFor(
    Literals literals, std::span<const std::optional<uint64_t>, 4> values, uint32_t width) {
  using Numbers = std::array<uint64_t, 3>;
  if (literals == Literals::kNone) return Numbers{};
  if (literals == Literals::kField || literals == Literals::kInsert) {
    const auto& offset = values[literals == Literals::kField ? 1 : 2];
    const auto& count = values[literals == Literals::kField ? 2 : 3];
    if (!offset || !count || *count == 0 || *count > width || *offset > width - *count) {
      return std::nullopt;
    }
    if (literals == Literals::kField) return Numbers{width - *offset - *count, width - *count};
    const uint64_t field = LowBits(*count) << *offset;
    return Numbers{~field, *offset, field};
  }
  if (!values[1]) return std::nullopt;
  const uint64_t y = *values[1];
  const auto top = static_cast<uint64_t>(std::bit_width(y)) - 1;  // for y != 0
  const bool is_mask = y != 0 && y == LowBits(top + 1);
  switch (literals) {
    case Literals::kTwo:
      return y == 2 ? std::optional(Numbers{}) : std::nullopt;
    case Literals::kPowerOfTwo:
      return std::has_single_bit(y) ? std::optional(Numbers{top, y - 1}) : std::nullopt;
    case Literals::kNumber:
      return y != 0 ? std::optional(Numbers{top, y - (uint64_t{1} << top)}) : std::nullopt;
    case Literals::kMask:
      return is_mask ? std::optional(Numbers{top + 1}) : std::nullopt;
    case Literals::kMaskBelow:
      return is_mask && top + 1 < width ? std::optional(Numbers{top + 1, y + 1}) : std::nullopt;
    case Literals::kShift:
      return y < width ? std::optional(Numbers{y, width - y, uint64_t{1} << y}) : std::nullopt;
    case Literals::kShiftTop:
      return y < width ? std::optional(Numbers{y, uint64_t{1} << (width - 1 - y)}) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace transform
}  // namespace refract
