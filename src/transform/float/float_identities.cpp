// SPDX-License-Identifier: Apache-2.0
#include "transform/float/float_identities.h"

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/grammar/operand_rules.h"
#include "ir/types.h"

namespace refract {
inline namespace transform {
namespace {

using Form = message::ReplaceFloatWithIdentity::Form;
using Op = spv::Op;
using F = FloatIdentity;
using enum Term;

// The other value, clamped to the range from 0 to 1. NClamp also takes a NaN.
constexpr FormulaOp kGuard = Glsl(GLSLstd450NClamp, kY, kZero, kOne);

// Term::kC is 0.5, and Term::kB is 2 in rows that need no bounds, where Term::kA is a large number.
constexpr FloatIdentity kIdentities[] = {
    {Form::kAddZero, F::kNothing, {{Op::OpFAdd, {kX, kZero}}}},
    {Form::kAddNegativeZero, F::kNothing, {{Op::OpFAdd, {kX, kTop}}}},
    {Form::kSubtractZero, F::kNothing, {{Op::OpFSub, {kX, kZero}}}},
    {Form::kMultiplyOne, F::kNothing, {{Op::OpFMul, {kX, kOne}}}},
    {Form::kDivideOne, F::kNothing, {{Op::OpFDiv, {kX, kOne}}}},
    {Form::kAddSubtract, F::kOther, {kGuard, {Op::OpFAdd, {kX, kT0}}, {Op::OpFSub, {kT1, kT0}}}},
    {Form::kSubtractAdd, F::kOther, {kGuard, {Op::OpFSub, {kX, kT0}}, {Op::OpFAdd, {kT1, kT0}}}},
    {Form::kAddDifference, F::kNoContraction, {{Op::OpFSub, {kA, kA}}, {Op::OpFAdd, {kT0, kX}}}},
    {Form::kDoubleHalve, F::kNothing, {{Op::OpFMul, {kX, kB}}, {Op::OpFMul, {kT0, kC}}}},
    {Form::kHalveDouble, F::kNothing, {{Op::OpFMul, {kX, kC}}, {Op::OpFMul, {kT0, kB}}}},
    {Form::kDoubleMinusSelf, F::kNothing, {{Op::OpFMul, {kX, kB}}, {Op::OpFSub, {kT0, kX}}}},
    {Form::kAddHalves,
     F::kNothing,
     {{Op::OpFMul, {kX, kC}}, {Op::OpFMul, {kX, kC}}, {Op::OpFAdd, {kT0, kT1}}}},
    {Form::kNegateTwice, F::kNothing, {{Op::OpFNegate, {kX}}, {Op::OpFNegate, {kT0}}}},
    {Form::kMinSelf, F::kNothing, {Glsl(GLSLstd450FMin, kX, kX)}},
    {Form::kMaxSelf, F::kNothing, {Glsl(GLSLstd450FMax, kX, kX)}},
    {Form::kMixZero, F::kOther, {kGuard, Glsl(GLSLstd450FMix, kX, kT0, kZero)}},
    {Form::kMixOne, F::kOther, {kGuard, Glsl(GLSLstd450FMix, kT0, kX, kOne)}},
    {Form::kFmaOneZero, F::kNothing, {Glsl(GLSLstd450Fma, kX, kOne, kZero)}},
    {Form::kLdexpZero, F::kScalar, {Glsl(GLSLstd450Ldexp, kX, kZeroCount)}},
    {Form::kFloorFract,
     F::kNothing,
     {Glsl(GLSLstd450Floor, kX), Glsl(GLSLstd450Fract, kX), {Op::OpFAdd, {kT0, kT1}}}},
    {Form::kSignAbs,
     F::kNothing,
     {Glsl(GLSLstd450FSign, kX), Glsl(GLSLstd450FAbs, kX), {Op::OpFMul, {kT0, kT1}}}},
    {Form::kAbsAgain, F::kAbsolute, {Glsl(GLSLstd450FAbs, kX)}},
    {Form::kMinBound, F::kHighest, {Glsl(GLSLstd450FMin, kX, kB)}},
    {Form::kMaxBound, F::kLowest, {Glsl(GLSLstd450FMax, kX, kA)}},
    {Form::kClampBounds, F::kLowest | F::kHighest, {Glsl(GLSLstd450FClamp, kX, kA, kB)}},
};

struct Shape {
  int fraction, bias;  // bits of the significand that are stored, and the bias of the exponent
};
Shape ShapeOf(uint32_t width) {
  if (width == 16) return {10, 15};
  return width == 32 ? Shape{23, 127} : Shape{52, 1023};
}

}  // namespace

std::span<const FloatIdentity> FloatIdentities() {
  return kIdentities;
}

const FloatIdentity* FindFloatIdentity(Form form) {
  const auto number = static_cast<size_t>(form);
  return number < std::size(kIdentities) ? &kIdentities[number] : nullptr;
}

uint64_t PowerOfTwo(uint32_t width, int exponent) {
  const Shape shape = ShapeOf(width);
  return static_cast<uint64_t>(shape.bias + exponent) << shape.fraction;
}

FloatBounds BoundsOf(const View& view, Id value) {
  const Module& module = view.module();
  const Inst inst = module.Definition(value);
  if (inst == Inst::kNone || module.Opcode(inst) != Op::OpExtInst ||
      ExtInstSetOf(module, inst) != ExtInstSet::kGlsl) {
    return {};
  }
  const uint32_t width = Width(module, ScalarType(module, module.Type(inst)));
  const uint64_t one = PowerOfTwo(width, 0), minus_one = one | uint64_t{1} << (width - 1);
  const auto literal = [&](uint32_t operand) {
    const Id id = module.IdAt(inst, operand);
    return SplatLiteral(view, id);
  };
  // The first of the operands that is a constant.
  const auto either = [&]() { return literal(2) ? literal(2) : literal(3); };
  switch (module.Word(inst, 1)) {
    case GLSLstd450FAbs:
      return {0, std::nullopt};
    case GLSLstd450Fract:
    case GLSLstd450Step:
    case GLSLstd450SmoothStep:
      return {0, one};
    case GLSLstd450Sin:
    case GLSLstd450Cos:
      return {minus_one, one};
    case GLSLstd450FMin:
      return {std::nullopt, either()};
    case GLSLstd450FMax:
      return {either(), std::nullopt};
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
      return {literal(3), literal(4)};
    default:
      return {};
  }
}

}  // namespace transform
}  // namespace refract
