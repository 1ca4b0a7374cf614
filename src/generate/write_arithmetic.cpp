// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "generate/write_expression.h"

namespace refract::generate {
namespace {

using spv::Op;
using enum Operator;

}  // namespace

ExpressionWriter::Value ExpressionWriter::WriteUnary(const Expression& node) {
  const Type type = node.type;
  if (node.op >= kSqrt) return WriteBounded(node);
  Value a = Write(node.a);
  const bool is_float = type.IsFloat(), is_signed = IsSigned(type.scalar);
  switch (node.op) {
    case kNot:
      return {Add(type.scalar == Scalar::kBool ? Op::OpLogicalNot : Op::OpNot, type, {a.id})};
    case kNegate:
      return {Add(is_float ? Op::OpFNegate : Op::OpSNegate, type, {a.id}), a.bound, a.fraction};
    case kAbs:
      return {Extended(is_float ? GLSLstd450FAbs : GLSLstd450SAbs, type, {a.id}), a.bound,
              a.fraction};
    case kSign:
      return {Extended(is_float ? GLSLstd450FSign : GLSLstd450SSign, type, {a.id}), 1, 0};
    case kFloor:
      return {Extended(GLSLstd450Floor, type, {a.id}), a.bound + 1, 0};
    case kDerivative: {
      // It is 0, but the interpreter counts the bits of a sum of two differences.
      constexpr Op kOps[] = {Op::OpDPdx, Op::OpDPdy, Op::OpFwidth};
      if (!Fits(type.scalar, 4 * a.bound, a.fraction)) a = Stored(a, type);
      return {Add(kOps[node.b], type, {a.id}), 4 * a.bound, a.fraction};
    }
    case kBitCount:
      return {Add(Op::OpBitCount, type, {a.id})};
    case kBitReverse:
      return {Add(Op::OpBitReverse, type, {a.id})};
    case kFindLsb:
      return {Extended(GLSLstd450FindILsb, type, {a.id})};
    default:
      return {Extended(is_signed ? GLSLstd450FindSMsb : GLSLstd450FindUMsb, type, {a.id})};
  }
}

ExpressionWriter::Value ExpressionWriter::WriteBinary(const Expression& node) {
  if (node.op >= kEqual) return {WriteComparison(node)};
  if (node.type.IsFloat()) return WriteFloat(node);
  if (node.type.scalar != Scalar::kBool) return {WriteInteger(node)};
  const uint32_t a = Write(node.a).id, b = Write(node.b).id;
  const Op op = node.op == kAnd  ? Op::OpLogicalAnd
                : node.op == kOr ? Op::OpLogicalOr
                                 : Op::OpLogicalNotEqual;
  return {Add(op, node.type, {a, b})};
}

ExpressionWriter::Value ExpressionWriter::WriteFloat(const Expression& node) {
  if (node.op == kDivide) return WriteBounded(node);
  const Type operand = tree_.expressions[node.a].type;
  Value a = Write(node.a), b = Write(node.b);
  for (int round = 0;; ++round) {
    double bound = a.bound + b.bound;
    uint32_t fraction = std::max(a.fraction, b.fraction);
    if (node.op == kMultiply || node.op == kDot) {
      bound = a.bound * b.bound * (node.op == kDot ? operand.components : 1);
      fraction = a.fraction + b.fraction;
    } else if (node.op == kMin || node.op == kMax) {
      bound = std::max(a.bound, b.bound);
    }
    if (!Fits(operand.scalar, bound, fraction)) {
      (round == 0 ? a : b) = Stored(round == 0 ? a : b, operand);
      continue;
    }
    if (node.op == kMin || node.op == kMax) {
      return {Extended(node.op == kMin ? GLSLstd450FMin : GLSLstd450FMax, node.type, {a.id, b.id}),
              bound, fraction};
    }
    const Op op = node.op == kAdd        ? Op::OpFAdd
                  : node.op == kSubtract ? Op::OpFSub
                  : node.op == kMultiply ? Op::OpFMul
                                         : Op::OpDot;
    return {Add(op, node.type, {a.id, b.id}), bound, fraction};
  }
}

// Vulkan leaves a remainder of negative operands undefined, and a division by zero is undefined
// behaviour, as is that of the least integer by -1.
uint32_t ExpressionWriter::WriteInteger(const Expression& node) {
  const Type type = node.type;
  const bool is_signed = IsSigned(type.scalar);
  const uint32_t width = WidthOf(type.scalar);
  uint32_t a = Write(node.a).id, b = Write(node.b).id;
  switch (node.op) {
    case kAdd:
      return Add(Op::OpIAdd, type, {a, b});
    case kSubtract:
      return Add(Op::OpISub, type, {a, b});
    case kMultiply:
      return Add(Op::OpIMul, type, {a, b});
    case kAnd:
      return Add(Op::OpBitwiseAnd, type, {a, b});
    case kOr:
      return Add(Op::OpBitwiseOr, type, {a, b});
    case kXor:
      return Add(Op::OpBitwiseXor, type, {a, b});
    case kShiftLeft:
      return Add(Op::OpShiftLeftLogical, type, {a, Masked(b, type, width - 1)});
    case kShiftRight:
      return Add(is_signed ? Op::OpShiftRightArithmetic : Op::OpShiftRightLogical, type,
                 {a, Masked(b, type, width - 1)});
    case kMin:
      return Extended(is_signed ? GLSLstd450SMin : GLSLstd450UMin, type, {a, b});
    case kMax:
      return Extended(is_signed ? GLSLstd450SMax : GLSLstd450UMax, type, {a, b});
    default:
      break;
  }
  if (is_signed) {
    b = Masked(b, type, 0xff);
    if (node.op != kDivide) a = Masked(a, type, ~uint64_t{0} >> (65 - width));
  }
  b = Add(Op::OpBitwiseOr, type, {b, module_.Constant(type, 1)});
  if (node.op == kDivide) return Add(is_signed ? Op::OpSDiv : Op::OpUDiv, type, {a, b});
  if (!is_signed) return Add(Op::OpUMod, type, {a, b});
  return Add(node.op == kModulo ? Op::OpSMod : Op::OpSRem, type, {a, b});
}

uint32_t ExpressionWriter::WriteComparison(const Expression& node) {
  const Scalar scalar = tree_.expressions[node.a].type.scalar;
  const uint32_t a = Write(node.a).id, b = Write(node.b).id;
  const size_t row = static_cast<size_t>(node.op) - static_cast<size_t>(kEqual);
  constexpr Op kOps[][4] = {
      {Op::OpLogicalEqual, Op::OpLogicalNotEqual, Op::OpLogicalAnd, Op::OpLogicalOr},
      {Op::OpIEqual, Op::OpINotEqual, Op::OpSLessThan, Op::OpSLessThanEqual},
      {Op::OpIEqual, Op::OpINotEqual, Op::OpULessThan, Op::OpULessThanEqual},
      {Op::OpFOrdEqual, Op::OpFOrdNotEqual, Op::OpFOrdLessThan, Op::OpFOrdLessThanEqual}};
  const size_t kind = scalar == Scalar::kBool ? 0 : 1 + KindOf(scalar);
  return Add(kOps[kind][row], node.type, {a, b});
}

ExpressionWriter::Value ExpressionWriter::WriteTernary(const Expression& node) {
  const Type type = node.type;
  const Value a = Write(node.a), b = Write(node.b), c = Write(node.c);
  const double bound = std::max(b.bound, c.bound);
  const uint32_t fraction = std::max(b.fraction, c.fraction);
  if (node.op == kSelect) return {Add(Op::OpSelect, type, {a.id, b.id, c.id}), bound, fraction};
  if (node.op == kExtractBits) {
    const uint32_t offset = Masked(b.id, kUintType, 15), count = Masked(c.id, kUintType, 15);
    const bool is_signed = IsSigned(type.scalar);
    return {Add(is_signed ? Op::OpBitFieldSExtract : Op::OpBitFieldUExtract, type,
                {a.id, offset, count})};
  }
  constexpr GLSLstd450 kOps[][3] = {{GLSLstd450SMin, GLSLstd450SMax, GLSLstd450SClamp},
                                    {GLSLstd450UMin, GLSLstd450UMax, GLSLstd450UClamp},
                                    {GLSLstd450FMin, GLSLstd450FMax, GLSLstd450FClamp}};
  const auto& ops = kOps[KindOf(type.scalar)];
  const uint32_t low = Extended(ops[0], type, {b.id, c.id});
  const uint32_t high = Extended(ops[1], type, {b.id, c.id});
  return {Extended(ops[2], type, {a.id, low, high}), std::max(bound, a.bound),
          std::max(fraction, a.fraction)};
}

}  // namespace refract::generate
