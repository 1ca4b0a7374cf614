// SPDX-License-Identifier: Apache-2.0
// The part of the table for comparisons of ints, for booleans and for selections. Comparisons of
// floats have no other forms: a NaN is neither less than a number nor not less.
#include "transform/synonym/equivalents.h"

namespace refract {
inline namespace transform {
namespace {

using Form = message::AddArithmeticSynonym::Form;
using Op = spv::Op;
using enum Term;

constexpr Equivalent Opposite(Op op, Op opposite) {
  return {Form::kOpposite, op, 0, {{opposite, {kX, kY}}, {Op::OpLogicalNot, {kT0}}}};
}
constexpr Equivalent Swapped(Op op, Op swapped) {
  return {Form::kSwapped, op, 0, {{swapped, {kY, kX}}}};
}
constexpr Equivalent SignFlipped(Op op, Op flipped) {
  return {Form::kSignFlipped,
          op,
          0,
          {{Op::OpBitwiseXor, {kX, kTop}, FormulaType::kOfX},
           {Op::OpBitwiseXor, {kY, kTop}, FormulaType::kOfX},
           {flipped, {kT0, kT1}}}};
}

constexpr Equivalent kBools[] = {
    Opposite(Op::OpLogicalEqual, Op::OpLogicalNotEqual),
    Opposite(Op::OpLogicalNotEqual, Op::OpLogicalEqual),
    Opposite(Op::OpIEqual, Op::OpINotEqual),
    Opposite(Op::OpINotEqual, Op::OpIEqual),
    Opposite(Op::OpULessThan, Op::OpUGreaterThanEqual),
    Opposite(Op::OpULessThanEqual, Op::OpUGreaterThan),
    Opposite(Op::OpUGreaterThan, Op::OpULessThanEqual),
    Opposite(Op::OpUGreaterThanEqual, Op::OpULessThan),
    Opposite(Op::OpSLessThan, Op::OpSGreaterThanEqual),
    Opposite(Op::OpSLessThanEqual, Op::OpSGreaterThan),
    Opposite(Op::OpSGreaterThan, Op::OpSLessThanEqual),
    Opposite(Op::OpSGreaterThanEqual, Op::OpSLessThan),
    Swapped(Op::OpULessThan, Op::OpUGreaterThan),
    Swapped(Op::OpULessThanEqual, Op::OpUGreaterThanEqual),
    Swapped(Op::OpUGreaterThan, Op::OpULessThan),
    Swapped(Op::OpUGreaterThanEqual, Op::OpULessThanEqual),
    Swapped(Op::OpSLessThan, Op::OpSGreaterThan),
    Swapped(Op::OpSLessThanEqual, Op::OpSGreaterThanEqual),
    Swapped(Op::OpSGreaterThan, Op::OpSLessThan),
    Swapped(Op::OpSGreaterThanEqual, Op::OpSLessThanEqual),
    SignFlipped(Op::OpULessThan, Op::OpSLessThan),
    SignFlipped(Op::OpULessThanEqual, Op::OpSLessThanEqual),
    SignFlipped(Op::OpUGreaterThan, Op::OpSGreaterThan),
    SignFlipped(Op::OpUGreaterThanEqual, Op::OpSGreaterThanEqual),
    SignFlipped(Op::OpSLessThan, Op::OpULessThan),
    SignFlipped(Op::OpSLessThanEqual, Op::OpULessThanEqual),
    SignFlipped(Op::OpSGreaterThan, Op::OpUGreaterThan),
    SignFlipped(Op::OpSGreaterThanEqual, Op::OpUGreaterThanEqual),
    {Form::kAsDifference,
     Op::OpIEqual,
     0,
     {{Op::OpISub, {kX, kY}, FormulaType::kOfX}, {Op::OpIEqual, {kT0, kZero}}}},
    {Form::kAsDifference,
     Op::OpINotEqual,
     0,
     {{Op::OpISub, {kX, kY}, FormulaType::kOfX}, {Op::OpINotEqual, {kT0, kZero}}}},
    {Form::kAsXor,
     Op::OpIEqual,
     0,
     {{Op::OpBitwiseXor, {kX, kY}, FormulaType::kOfX}, {Op::OpULessThan, {kT0, kOne}}}},
    {Form::kAsXor,
     Op::OpINotEqual,
     0,
     {{Op::OpBitwiseXor, {kX, kY}, FormulaType::kOfX}, {Op::OpUGreaterThan, {kT0, kZero}}}},
    {Form::kDeMorgan,
     Op::OpLogicalAnd,
     0,
     {{Op::OpLogicalNot, {kX}},
      {Op::OpLogicalNot, {kY}},
      {Op::OpLogicalOr, {kT0, kT1}},
      {Op::OpLogicalNot, {kT2}}}},
    {Form::kDeMorgan,
     Op::OpLogicalOr,
     0,
     {{Op::OpLogicalNot, {kX}},
      {Op::OpLogicalNot, {kY}},
      {Op::OpLogicalAnd, {kT0, kT1}},
      {Op::OpLogicalNot, {kT2}}}},
    {Form::kLogicalNotAsEqual, Op::OpLogicalNot, 0, {{Op::OpLogicalEqual, {kX, kFalse}}}},
    {Form::kLogicalNotAsDifferent, Op::OpLogicalNot, 0, {{Op::OpLogicalNotEqual, {kX, kTrue}}}},
    {Form::kAsSelect,
     Op::OpLogicalAnd,
     0,
     {{Op::OpSelect, {kX, kY, kFalse}}},
     Literals::kNone,
     kSureValues},
    {Form::kAsSelect,
     Op::OpLogicalOr,
     0,
     {{Op::OpSelect, {kX, kTrue, kY}}},
     Literals::kNone,
     kSureValues},
    // Not kAsSelect, because invert_comparison turns comparisons into negations.
    {Form::kLogicalNotAsSelect, Op::OpLogicalNot, 0, {{Op::OpSelect, {kX, kFalse, kTrue}}}},
    {Form::kAsSelect,
     Op::OpLogicalEqual,
     0,
     {{Op::OpLogicalNot, {kY}}, {Op::OpSelect, {kX, kY, kT0}}}},
    {Form::kAsSelect,
     Op::OpLogicalNotEqual,
     0,
     {{Op::OpLogicalNot, {kY}}, {Op::OpSelect, {kX, kT0, kY}}}},
    {Form::kSelectSwapped,
     Op::OpSelect,
     0,
     {{Op::OpLogicalNot, {kX}, FormulaType::kBool}, {Op::OpSelect, {kT0, kZ, kY}}}},
};

}  // namespace

std::span<const Equivalent> BoolEquivalents() {
  return kBools;
}

}  // namespace transform
}  // namespace refract
