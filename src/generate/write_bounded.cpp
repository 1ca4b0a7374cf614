// SPDX-License-Identifier: Apache-2.0
// Operations on floats of which Vulkan bounds the error ("Precision of core SPIR-V Instructions").
#include "generate/write_expression.h"

namespace refract::generate {
namespace {

using spv::Op;
using enum Operator;

constexpr double kScale = 16;  // results are multiples of 1/16
constexpr double kMost = 4;    // from -4 to 4
constexpr double kLeast = 1 / kScale;
constexpr double kMostAngle = 3.125;  // sin and cos have a bound up to pi

// What is added to 16 times a result before it is rounded down. Operands are multiples of 1/16 from
// -4 to 4, so all possible results are known: with this number, each of them is at least 0.0077
// from an integer, after the error that Vulkan allows. Of the multiples of 1/1024, these have the
// largest distance.
constexpr double OffsetOf(Operator op) {
  switch (op) {
    case kDivide:
      return 8.0 / 1024;
    case kSqrt:
      return 962.0 / 1024;
    case kInverseSqrt:
      return 423.0 / 1024;
    case kSin:
      return 512.0 / 1024;
    case kCos:
      return 609.0 / 1024;
    case kExp2:
      return 214.0 / 1024;
    case kLog2:
      return 563.0 / 1024;
    default:
      return 387.0 / 1024;  // kAtan
  }
}

}  // namespace

ExpressionWriter::Value ExpressionWriter::Rounded(Operator op, Type type, uint32_t value) {
  const Type ints = type.Signed();
  constexpr auto kShift = static_cast<uint64_t>(kScale * kMost);  // conversions round to zero
  const uint32_t low = module_.FloatConstant(type, -kMost);
  value = Extended(GLSLstd450FClamp, type, {value, low, module_.FloatConstant(type, kMost)});
  value = Add(Op::OpFMul, type, {value, module_.FloatConstant(type, kScale)});
  const double offset = static_cast<double>(kShift) + OffsetOf(op);
  value = Add(Op::OpFAdd, type, {value, module_.FloatConstant(type, offset)});
  value = Add(Op::OpConvertFToS, ints, {value});
  value = Add(Op::OpISub, ints, {value, module_.Constant(ints, kShift)});
  value = Add(Op::OpConvertSToF, type, {value});
  value = Add(Op::OpFMul, type, {value, module_.FloatConstant(type, 1 / kScale)});
  return {value, kMost, StoredFraction(type.scalar)};
}

ExpressionWriter::Value ExpressionWriter::WriteBounded(const Expression& node) {
  const Type type = node.type, bools = type.WithScalar(Scalar::kBool);
  uint32_t a = Stored(Write(node.a), type).id;
  if (node.op == kDivide) {
    const uint32_t b = Stored(Write(node.b), type).id;
    const uint32_t is_zero = Add(Op::OpFOrdEqual, bools, {b, module_.FloatConstant(type, 0)});
    const uint32_t divisor = Add(Op::OpSelect, type, {is_zero, module_.FloatConstant(type, 1), b});
    return Rounded(node.op, type, Add(Op::OpFDiv, type, {a, divisor}));
  }
  if (node.op == kSqrt || node.op == kInverseSqrt || node.op == kLog2) {
    a = Extended(GLSLstd450FAbs, type, {a});
    if (node.op != kSqrt) {
      a = Extended(GLSLstd450FMax, type, {a, module_.FloatConstant(type, kLeast)});
    }
  } else if (node.op == kSin || node.op == kCos) {
    const uint32_t low = module_.FloatConstant(type, -kMostAngle);
    a = Extended(GLSLstd450FClamp, type, {a, low, module_.FloatConstant(type, kMostAngle)});
  }
  constexpr GLSLstd450 kOps[] = {GLSLstd450Sqrt, GLSLstd450InverseSqrt, GLSLstd450Sin,
                                 GLSLstd450Cos,  GLSLstd450Exp2,        GLSLstd450Log2,
                                 GLSLstd450Atan};
  const size_t number = static_cast<size_t>(node.op) - static_cast<size_t>(kSqrt);
  return Rounded(node.op, type, Extended(kOps[number], type, {a}));
}

}  // namespace refract::generate
