// SPDX-License-Identifier: Apache-2.0
#include "transform/synonym/identities.h"

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/defined.h"
#include "rules/legality/known_values.h"
#include "rules/legality/upper_bound.h"
#include "rules/values.h"

namespace refract {
inline namespace transform {
namespace {

using Identity = message::AddSynonym::Identity;
using Domain = IdentityDomain;
using Other = OtherValue;
using Op = spv::Op;
using Kind = message::Type::Kind;
using enum Term;

// Ints wrap (SPIR-V 3.42.13), so their identities are exact for every value.
constexpr IdentityRow kIdentityRows[] = {
    {Identity::kCopyObject, Domain::kAny, {{Op::OpCopyObject, {kX}}}},
    {Identity::kAddZero, Domain::kInt, {{Op::OpIAdd, {kX, kZero}}}},
    {Identity::kAddZero, Domain::kPlainFloat, {{Op::OpFAdd, {kX, kZero}}}},
    {Identity::kSubtractZero, Domain::kInt, {{Op::OpISub, {kX, kZero}}}},
    {Identity::kSubtractZero, Domain::kPlainFloat, {{Op::OpFSub, {kX, kZero}}}},
    {Identity::kMultiplyOne, Domain::kInt, {{Op::OpIMul, {kX, kOne}}}},
    {Identity::kMultiplyOne, Domain::kPlainFloat, {{Op::OpFMul, {kX, kOne}}}},
    {Identity::kOrZero, Domain::kInt, {{Op::OpBitwiseOr, {kX, kZero}}}},
    {Identity::kXorZero, Domain::kInt, {{Op::OpBitwiseXor, {kX, kZero}}}},
    {Identity::kAndOnes, Domain::kInt, {{Op::OpBitwiseAnd, {kX, kOnes}}}},
    {Identity::kShiftZero, Domain::kInt, {{Op::OpShiftLeftLogical, {kX, kZero}}}},
    {Identity::kLogicalOrFalse, Domain::kBool, {{Op::OpLogicalOr, {kX, kFalse}}}},
    {Identity::kLogicalAndTrue, Domain::kBool, {{Op::OpLogicalAnd, {kX, kTrue}}}},
    {Identity::kNotNot, Domain::kInt, {{Op::OpNot, {kX}}, {Op::OpNot, {kT0}}}},
    {Identity::kNegateNegate, Domain::kInt, {{Op::OpSNegate, {kX}}, {Op::OpSNegate, {kT0}}}},
    {Identity::kNegateNegate, Domain::kPlainFloat, {{Op::OpFNegate, {kX}}, {Op::OpFNegate, {kT0}}}},
    {Identity::kLogicalNotNot,
     Domain::kBool,
     {{Op::OpLogicalNot, {kX}}, {Op::OpLogicalNot, {kT0}}}},
    {Identity::kSelectSame, Domain::kAny, {{Op::OpSelect, {kChooseFirst, kX, kX}}}},
    {Identity::kDivideOne, Domain::kSigned, {{Op::OpSDiv, {kX, kOne}}}},
    {Identity::kDivideOne, Domain::kUnsigned, {{Op::OpUDiv, {kX, kOne}}}},
    {Identity::kOrSelf, Domain::kInt, {{Op::OpBitwiseOr, {kX, kX}}}},
    {Identity::kAndSelf, Domain::kInt, {{Op::OpBitwiseAnd, {kX, kX}}}},
    {Identity::kShiftRightZero, Domain::kInt, {{Op::OpShiftRightLogical, {kX, kZero}}}},
    {Identity::kShiftArithmeticZero, Domain::kInt, {{Op::OpShiftRightArithmetic, {kX, kZero}}}},
    {Identity::kLogicalOrSelf, Domain::kBool, {{Op::OpLogicalOr, {kX, kX}}}},
    {Identity::kLogicalAndSelf, Domain::kBool, {{Op::OpLogicalAnd, {kX, kX}}}},
    {Identity::kLogicalEqualTrue, Domain::kBool, {{Op::OpLogicalEqual, {kX, kTrue}}}},
    {Identity::kLogicalNotEqualFalse, Domain::kBool, {{Op::OpLogicalNotEqual, {kX, kFalse}}}},
    {Identity::kSelectTrueFalse, Domain::kBool, {{Op::OpSelect, {kX, kTrue, kFalse}}}},
    {Identity::kMinSelf, Domain::kSigned, {Glsl(GLSLstd450SMin, kX, kX)}},
    {Identity::kMinSelf, Domain::kUnsigned, {Glsl(GLSLstd450UMin, kX, kX)}},
    {Identity::kMinSelf, Domain::kPlainFloat, {Glsl(GLSLstd450FMin, kX, kX)}},
    {Identity::kMaxSelf, Domain::kSigned, {Glsl(GLSLstd450SMax, kX, kX)}},
    {Identity::kMaxSelf, Domain::kUnsigned, {Glsl(GLSLstd450UMax, kX, kX)}},
    {Identity::kMaxSelf, Domain::kPlainFloat, {Glsl(GLSLstd450FMax, kX, kX)}},
    {Identity::kClampSelf, Domain::kSigned, {Glsl(GLSLstd450SClamp, kX, kX, kX)}},
    {Identity::kClampSelf, Domain::kUnsigned, {Glsl(GLSLstd450UClamp, kX, kX, kX)}},
    {Identity::kClampSelf, Domain::kPlainFloat, {Glsl(GLSLstd450FClamp, kX, kX, kX)}},
    {Identity::kReverseReverse,
     Domain::kInt32,
     {{Op::OpBitReverse, {kX}}, {Op::OpBitReverse, {kT0}}}},
    {Identity::kTransposeTranspose,
     Domain::kMatrix,
     {{Op::OpTranspose, {kX}, FormulaType::kWide}, {Op::OpTranspose, {kT0}}}},
    {Identity::kBitcastBitcast,
     Domain::kSureFloat,
     {{Op::OpBitcast, {kX}, FormulaType::kWide}, {Op::OpBitcast, {kT0}}}},
    {Identity::kBitcastBitcast,
     Domain::kInt,
     {{Op::OpBitcast, {kX}, FormulaType::kWide}, {Op::OpBitcast, {kT0}}}},
    {Identity::kSignExtend32,
     Domain::kSigned,
     {{Op::OpSConvert, {kX}, FormulaType::kWide}, {Op::OpSConvert, {kT0}}}},
    {Identity::kSignExtend32,
     Domain::kUnsigned,
     {{Op::OpSConvert, {kX}, FormulaType::kWide}, {Op::OpUConvert, {kT0}}}},
    {Identity::kZeroExtend32,
     Domain::kSigned,
     {{Op::OpUConvert, {kX}, FormulaType::kWide}, {Op::OpSConvert, {kT0}}}},
    {Identity::kZeroExtend32,
     Domain::kUnsigned,
     {{Op::OpUConvert, {kX}, FormulaType::kWide}, {Op::OpUConvert, {kT0}}}},
    {Identity::kSignExtend64,
     Domain::kSigned,
     {{Op::OpSConvert, {kX}, FormulaType::kWide}, {Op::OpSConvert, {kT0}}}},
    {Identity::kSignExtend64,
     Domain::kUnsigned,
     {{Op::OpSConvert, {kX}, FormulaType::kWide}, {Op::OpUConvert, {kT0}}}},
    {Identity::kZeroExtend64,
     Domain::kSigned,
     {{Op::OpUConvert, {kX}, FormulaType::kWide}, {Op::OpSConvert, {kT0}}}},
    {Identity::kZeroExtend64,
     Domain::kUnsigned,
     {{Op::OpUConvert, {kX}, FormulaType::kWide}, {Op::OpUConvert, {kT0}}}},
    {Identity::kFloatAndBack,
     Domain::kSmallInt,
     {{Op::OpConvertSToF, {kX}, FormulaType::kWide}, {Op::OpConvertFToS, {kT0}}}},
    {Identity::kXorXor,
     Domain::kInt,
     {{Op::OpBitwiseXor, {kX, kY}}, {Op::OpBitwiseXor, {kT0, kY}}},
     Other::kMixedIn},
    {Identity::kAddSubtract,
     Domain::kInt,
     {{Op::OpIAdd, {kX, kY}}, {Op::OpISub, {kT0, kY}}},
     Other::kMixedIn},
    {Identity::kSubtractAdd,
     Domain::kInt,
     {{Op::OpISub, {kX, kY}}, {Op::OpIAdd, {kT0, kY}}},
     Other::kMixedIn},
    {Identity::kOrAnd,
     Domain::kInt,
     {{Op::OpBitwiseAnd, {kX, kY}}, {Op::OpBitwiseOr, {kX, kT0}}},
     Other::kMixedIn},
    {Identity::kAndOr,
     Domain::kInt,
     {{Op::OpBitwiseOr, {kX, kY}}, {Op::OpBitwiseAnd, {kX, kT0}}},
     Other::kMixedIn},
    {Identity::kSplitBits,
     Domain::kInt,
     {{Op::OpBitwiseAnd, {kX, kY}}, {Op::OpBitwiseXor, {kX, kT0}}, {Op::OpBitwiseOr, {kT0, kT1}}},
     Other::kMixedIn},
    {Identity::kMinMax,
     Domain::kSigned,
     {Glsl(GLSLstd450SMax, kX, kY), Glsl(GLSLstd450SMin, kX, kT0)},
     Other::kMixedIn},
    {Identity::kMinMax,
     Domain::kUnsigned,
     {Glsl(GLSLstd450UMax, kX, kY), Glsl(GLSLstd450UMin, kX, kT0)},
     Other::kMixedIn},
    {Identity::kMaxMin,
     Domain::kSigned,
     {Glsl(GLSLstd450SMin, kX, kY), Glsl(GLSLstd450SMax, kX, kT0)},
     Other::kMixedIn},
    {Identity::kMaxMin,
     Domain::kUnsigned,
     {Glsl(GLSLstd450UMin, kX, kY), Glsl(GLSLstd450UMax, kX, kT0)},
     Other::kMixedIn},
    {Identity::kLogicalOrAnd,
     Domain::kBool,
     {{Op::OpLogicalAnd, {kX, kY}}, {Op::OpLogicalOr, {kX, kT0}}},
     Other::kMixedIn},
    {Identity::kLogicalAndOr,
     Domain::kBool,
     {{Op::OpLogicalOr, {kX, kY}}, {Op::OpLogicalAnd, {kX, kT0}}},
     Other::kMixedIn},
    {Identity::kLogicalXorXor,
     Domain::kBool,
     {{Op::OpLogicalNotEqual, {kX, kY}}, {Op::OpLogicalNotEqual, {kT0, kY}}},
     Other::kMixedIn},
    {Identity::kSelectFirst,
     Domain::kAny,
     {{Op::OpSelect, {kChooseFirst, kX, kY}}},
     Other::kLeftOut},
    {Identity::kSelectSecond,
     Domain::kAny,
     {{Op::OpSelect, {kChooseSecond, kY, kX}}},
     Other::kLeftOut},
    {Identity::kSelectEither, Domain::kAny, {{Op::OpSelect, {kY, kX, kX}}}, Other::kCondition},
};

}  // namespace

std::span<const IdentityRow> IdentityRows() {
  return kIdentityRows;
}

bool IsInDomain(const View& view, Domain domain, Id value) {
  const Module& module = view.module();
  const Id type = module.TypeOf(value);
  if (domain == Domain::kAny) return true;
  if (domain == Domain::kMatrix) return TypeOpcode(module, type) == Op::OpTypeMatrix;
  const Id scalar = ScalarType(module, type);
  if (scalar == Id::kNone) return false;
  switch (domain) {
    case Domain::kBool:
      return IsBool(module, scalar);
    case Domain::kSureFloat:
      return IsFloat(module, scalar) && HasSureBits(view, value);
    case Domain::kPlainFloat:
      return IsFloat(module, scalar) && IsSurelyNormal(view, value);
    default:
      break;
  }
  if (!IsInt(module, scalar)) return false;
  switch (domain) {
    case Domain::kSigned:
      return IsSigned(module, scalar);
    case Domain::kUnsigned:
      return !IsSigned(module, scalar);
    case Domain::kInt32:
      return Width(module, scalar) == 32 && HasCapability(module, spv::Capability::Shader);
    case Domain::kSmallInt:
      return (Width(module, scalar) <= 16 || UpperBound(view, value) <= 1u << 24) &&
             IsSurelyExact(view, value);
    default:
      return true;
  }
}

message::Type IntermediateType(const Module& module, Identity identity, const message::Type& type) {
  const message::Type& scalar = ScalarOf(type);
  const auto wider = [&](uint32_t width, bool is_signed) {
    return scalar.width < width ? IntsLike(module, type, width, is_signed) : message::Type{};
  };
  switch (identity) {
    case Identity::kSignExtend32:
      return wider(32, true);
    case Identity::kZeroExtend32:
      return wider(32, false);
    case Identity::kSignExtend64:
      return wider(64, true);
    case Identity::kZeroExtend64:
      return wider(64, false);
    case Identity::kBitcastBitcast: {
      const bool is_signed = scalar.kind == Kind::kInt && !scalar.is_signed;
      const message::Type other = IntsLike(module, type, scalar.width, is_signed);
      return other == type ? message::Type{} : other;
    }
    case Identity::kFloatAndBack:
      return WithScalar(type, FloatType(32));
    case Identity::kTransposeTranspose: {
      message::Type transposed = type;
      if (transposed.parts.size() == 1) std::swap(transposed.count, transposed.parts[0].count);
      return transposed;
    }
    default:
      return {};
  }
}

}  // namespace transform
}  // namespace refract
