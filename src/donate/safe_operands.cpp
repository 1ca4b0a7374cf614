// SPDX-License-Identifier: Apache-2.0
#include "donate/safe_operands.h"

#include <spirv/unified1/GLSL.std.450.h>

#include "base/check.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace donate {
namespace {

using message::Constant;
using message::Type;
using TypeKind = message::Type::Kind;

constexpr uint64_t kOneFloat = 0x3f800000, kMinusOneFloat = 0xbf800000;
constexpr uint64_t kLeastNormal = 0x00800000;
// The largest and smallest floats that are valid as 32-bit integers.
constexpr uint64_t kMostSigned = 0x4effffff, kLeastSigned = 0xcf000000;
constexpr uint64_t kMostUnsigned = 0x4f7fffff;
// 2^15 and -2^15, and 2^-15.
constexpr uint64_t kSmall = 0x47000000, kMinusSmall = 0xc7000000, kLeastLength = 0x38000000;
// For ldexp: 2^60 and -2^60, which are multiplied by at most 2^63.
constexpr uint64_t kLarge = 0x5d800000, kMinusLarge = 0xdd800000;

uint32_t WidthOf(const Module& module, Id type) {
  const Id scalar = ScalarType(module, type);
  return scalar == Id::kNone ? 0 : Width(module, scalar);
}

bool IsGlsl(const Module& module, Inst inst) {
  return module.Opcode(inst) == spv::Op::OpExtInst &&
         ExtInstSetOf(module, inst) == ExtInstSet::kGlsl;
}

// The order in which constants are declared is part of the result. So an expression declares at
// most one of them: compilers evaluate the arguments of a call in different orders.
class Guard {
 public:
  Guard(Editor& editor, Inst inst, uint64_t role)
      : editor_(editor), module_(editor.module()), inst_(inst), role_(role) {}

  void Apply() {
    switch (module_.Opcode(inst_)) {
      case spv::Op::OpUDiv:
      case spv::Op::OpUMod:
        return Set(1, OneIfZero(1, Operand(1)));
      case spv::Op::OpSDiv: {
        // Neither 0 nor -1, because the lowest value divided by -1 overflows.
        const Id next = Make(spv::Op::OpIAdd, TypeOf(1), {Operand(1), Bits(1, 1)});
        const Id two = Bits(1, 2);
        return Set(1, Unless(spv::Op::OpULessThan, next, two, Operand(1), Bits(1, 1)));
      }
      case spv::Op::OpSRem:
      case spv::Op::OpSMod: {
        // Vulkan, "Precision and Operation of SPIR-V Instructions": undefined for negative
        // operands.
        Set(0, Masked(0));
        return Set(1, OneIfZero(1, Masked(1)));
      }
      case spv::Op::OpFDiv:
      case spv::Op::OpFRem:
      case spv::Op::OpFMod:
        return NotNearZero(1);
      case spv::Op::OpShiftLeftLogical:
      case spv::Op::OpShiftRightLogical:
      case spv::Op::OpShiftRightArithmetic:
        return Set(1, Make(spv::Op::OpBitwiseAnd, TypeOf(1),
                           {Operand(1), Bits(1, WidthOf(module_, module_.Type(inst_)) - 1)}));
      case spv::Op::OpConvertFToS:
        return Between(0, kLeastSigned, kMostSigned, 0);
      case spv::Op::OpConvertFToU:
        return Between(0, 0, kMostUnsigned, 0);
      case spv::Op::OpBitFieldInsert:
        return BitsInside(2);
      case spv::Op::OpBitFieldSExtract:
      case spv::Op::OpBitFieldUExtract:
        return BitsInside(1);
      case spv::Op::OpVectorExtractDynamic:
        return Index(1);
      case spv::Op::OpVectorInsertDynamic:
        return Index(2);
      default:
        ApplyGlsl();
    }
  }

 private:
  void ApplyGlsl() {
    switch (module_.Word(inst_, 1)) {
      case GLSLstd450Sqrt:
        return AtLeast(2, 0);
      case GLSLstd450InverseSqrt:
      case GLSLstd450Log:
      case GLSLstd450Log2:
      case GLSLstd450Pow:
        return AtLeast(2, kLeastNormal);
      case GLSLstd450Acosh:
        return AtLeast(2, kOneFloat);
      case GLSLstd450Asin:
      case GLSLstd450Acos:
        return Between(2, kMinusOneFloat, kOneFloat, 0);
      case GLSLstd450Atanh:
        return Between(2, 0xbf000000, 0x3f000000, 0);
      case GLSLstd450Atan2:
        return NotNearZero(3);
      case GLSLstd450FMin:
        return SetNumber(GLSLstd450NMin);
      case GLSLstd450FMax:
        return SetNumber(GLSLstd450NMax);
      case GLSLstd450FClamp:
        SetNumber(GLSLstd450NClamp);
        [[fallthrough]];
      case GLSLstd450NClamp:
        return Set(4, MakeGlsl(GLSLstd450NMax, 4, {Operand(3), Operand(4)}));
      case GLSLstd450UClamp:
        return Set(4, MakeGlsl(GLSLstd450UMax, 4, {Operand(3), Operand(4)}));
      case GLSLstd450SClamp:
        return Set(4, MakeGlsl(GLSLstd450SMax, 4, {Operand(3), Operand(4)}));
      case GLSLstd450SmoothStep: {
        const Id low = Operand(2), high = Operand(3);
        const Id good = Make(spv::Op::OpFOrdLessThan, BoolsFor(2), {low, high});
        Set(2, Make(spv::Op::OpSelect, TypeOf(2), {good, low, Bits(2, 0)}));
        return Set(3, Make(spv::Op::OpSelect, TypeOf(3), {good, high, Bits(3, kOneFloat)}));
      }
      case GLSLstd450Ldexp:
        Between(2, kMinusLarge, kLarge, kOneFloat);
        return Set(3, Make(spv::Op::OpBitwiseAnd, TypeOf(3), {Operand(3), Bits(3, 63)}));
      case GLSLstd450Normalize:
        KeepSmall();
        return NotOfLengthZero();
      case GLSLstd450Length:
      case GLSLstd450Distance:
      case GLSLstd450Cross:
      case GLSLstd450FaceForward:
      case GLSLstd450Reflect:
      case GLSLstd450Refract:
        return KeepSmall();
      default:
        CHECK(false);
    }
  }

  // --- guards for one operand

  // For any width. Values below the smallest normal number may be flushed to zero.
  void NotNearZero(uint32_t i) {
    const uint64_t least = uint64_t{1} << FractionOf(WidthOf(module_, TypeOf(i)));
    Set(i, NotNearZero(Operand(i), TypeOf(i), least));
  }

  static uint32_t FractionOf(uint32_t width) { return width == 64 ? 52 : width == 32 ? 23 : 10; }

  Id NotNearZero(Id value, Id type, uint64_t least) {
    const uint32_t width = WidthOf(module_, type);
    const uint64_t sign = uint64_t{1} << (width - 1);
    // All bits of the exponent except the highest: the number 1.
    const uint64_t one = sign / 2 - (uint64_t{1} << FractionOf(width));
    const Id booleans = BoolsOf(type);
    const Id above = Make(spv::Op::OpFOrdGreaterThanEqual, booleans, {value, BitsOf(type, least)});
    const Id below =
        Make(spv::Op::OpFOrdLessThanEqual, booleans, {value, BitsOf(type, sign | least)});
    const Id good = Make(spv::Op::OpLogicalOr, booleans, {above, below});
    return Make(spv::Op::OpSelect, type, {good, value, BitsOf(type, one)});
  }

  // Makes sure that the first component of a vector is not near zero, so that its square is not
  // zero.
  void NotOfLengthZero() {
    const Id type = TypeOf(2);
    if (!IsVector(module_, type)) return Set(2, NotNearZero(Operand(2), type, kLeastLength));
    const Id scalar = ElementType(module_, type);
    const Id first = Make(spv::Op::OpCompositeExtract, scalar, {Operand(2), 0u});
    Set(2, Make(spv::Op::OpCompositeInsert, type,
                {NotNearZero(first, scalar, kLeastLength), Operand(2), 0u}));
  }

  // Makes all operands so small that no product of a few of them is infinite, and thus no
  // difference is NaN.
  void KeepSmall() {
    for (uint32_t i = 2; i < module_.OperandCount(inst_); ++i) {
      Between(i, kMinusSmall, kSmall, kOneFloat);
    }
  }

  void AtLeast(uint32_t i, uint64_t least) {
    const Id limit = Bits(i, least);
    const Id good = Make(spv::Op::OpFOrdGreaterThanEqual, BoolsFor(i), {Operand(i), limit});
    Set(i, Make(spv::Op::OpSelect, TypeOf(i), {good, Operand(i), Bits(i, kOneFloat)}));
  }

  void Between(uint32_t i, uint64_t least, uint64_t most, uint64_t otherwise) {
    const Id booleans = BoolsFor(i);
    const Id above = Make(spv::Op::OpFOrdGreaterThanEqual, booleans, {Operand(i), Bits(i, least)});
    const Id below = Make(spv::Op::OpFOrdLessThanEqual, booleans, {Operand(i), Bits(i, most)});
    const Id good = Make(spv::Op::OpLogicalAnd, booleans, {above, below});
    Set(i, Make(spv::Op::OpSelect, TypeOf(i), {good, Operand(i), Bits(i, otherwise)}));
  }

  void Index(uint32_t i) {
    const uint32_t count = PartCount(module_, TypeOf(0)).value();
    const Id limit = Bits(i, uint64_t{count});
    const Id good = Make(spv::Op::OpULessThan, BoolsFor(i), {Operand(i), limit});
    Set(i, Make(spv::Op::OpSelect, TypeOf(i), {good, Operand(i), Bits(i, 0)}));
  }

  // Bounds an offset to at most 31, and the bit count to the bits above the offset.
  void BitsInside(uint32_t i) {
    Set(i, Make(spv::Op::OpBitwiseAnd, TypeOf(i), {Operand(i), Bits(i, 31)}));
    const Id left = Make(spv::Op::OpISub, TypeOf(i), {Bits(i, 32), Operand(i)});
    const Id good = Make(spv::Op::OpULessThanEqual, BoolsFor(i), {Operand(i + 1), left});
    Set(i + 1, Make(spv::Op::OpSelect, TypeOf(i + 1), {good, Operand(i + 1), Bits(i + 1, 0)}));
  }

  // The operand with its sign bit cleared.
  Id Masked(uint32_t i) {
    const uint32_t width = WidthOf(module_, TypeOf(i));
    return Make(spv::Op::OpBitwiseAnd, TypeOf(i),
                {Operand(i), Bits(i, (uint64_t{1} << (width - 1)) - 1)});
  }

  // `value`, which has the type of operand i, or 1 if it is 0.
  Id OneIfZero(uint32_t i, Id value) {
    const Id one = Bits(i, 1);
    return Unless(spv::Op::OpIEqual, value, Bits(i, 0), value, one);
  }

  // `value`, or `other` if comparing `compared` with `with` yields true.
  Id Unless(spv::Op compare, Id compared, Id with, Id value, Id other) {
    const Id type = module_.TypeOf(value);
    const Id bad = Make(compare, BoolsOf(type), {compared, with});
    return Make(spv::Op::OpSelect, type, {bad, other, value});
  }

  // --- how operands are read, set and made

  Id Operand(uint32_t i) const { return module_.IdAt(inst_, i); }
  Id TypeOf(uint32_t i) const { return module_.TypeOf(Operand(i)); }
  void Set(uint32_t i, Id value) { editor_.SetOperand(inst_, i, value); }
  void SetNumber(uint32_t number) { editor_.SetOperand(inst_, 1, number); }

  // A constant for operand i: a scalar, or a vector with equal components.
  Id Bits(uint32_t i, uint64_t bits) { return BitsOf(TypeOf(i), bits); }
  Id BitsOf(Id type, uint64_t bits) {
    const Constant scalar = ScalarConstant(module_, ScalarType(module_, type), bits);
    if (!IsVector(module_, type)) return Declare(editor_, scalar);
    Constant vector;
    vector.type = Describe(module_, type);
    vector.parts.assign(vector.type.count, scalar);
    return Declare(editor_, vector);
  }

  Id BoolsFor(uint32_t i) { return BoolsOf(TypeOf(i)); }
  Id BoolsOf(Id type) {
    if (!IsVector(module_, type)) return Declare(editor_, BoolType());
    Type vector;
    vector.kind = TypeKind::kVector;
    vector.count = PartCount(module_, type).value();
    vector.parts = {BoolType()};
    return Declare(editor_, vector);
  }

  Id Make(spv::Op opcode, Id type, const Args& args) {
    return editor_.InsertValue(inst_, opcode, type,
                               editor_.Made(role_, module_.NameOf(inst_), uint64_t{made_++}), args);
  }
  Id MakeGlsl(uint32_t number, uint32_t like, const Args& values) {
    Args args{Operand(0), number};
    for (const Arg& value : values) args.push_back(value);
    return Make(spv::Op::OpExtInst, TypeOf(like), args);
  }

  Editor& editor_;
  const Module& module_;
  const Inst inst_;
  const uint64_t role_;
  uint32_t made_ = 0;
};

bool IsOf32Bits(const Module& module, Inst inst, uint32_t operand) {
  return WidthOf(module, module.TypeOf(module.IdAt(inst, operand))) == 32;
}

bool MayGlslBeMadeDefined(const Module& module, Inst inst) {
  switch (module.Word(inst, 1)) {
    case GLSLstd450Sqrt:
    case GLSLstd450InverseSqrt:
    case GLSLstd450Log:
    case GLSLstd450Log2:
    case GLSLstd450Pow:
    case GLSLstd450Acosh:
    case GLSLstd450Asin:
    case GLSLstd450Acos:
    case GLSLstd450Atanh:
    case GLSLstd450Atan2:
    case GLSLstd450SmoothStep:
    case GLSLstd450Ldexp:
    case GLSLstd450Normalize:
    case GLSLstd450Length:
    case GLSLstd450Distance:
    case GLSLstd450Cross:
    case GLSLstd450FaceForward:
    case GLSLstd450Reflect:
    case GLSLstd450Refract:
      return IsOf32Bits(module, inst, 2);
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
    case GLSLstd450UClamp:
    case GLSLstd450SClamp:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool MayBeNan(const Module& module, Inst inst) {
  if (!IsGlsl(module, inst)) return false;
  switch (module.Word(inst, 1)) {
    case GLSLstd450Length:
    case GLSLstd450Distance:
    case GLSLstd450Cross:
    case GLSLstd450FaceForward:
    case GLSLstd450Reflect:
    case GLSLstd450Refract:
      return true;
    default:
      return false;
  }
}

bool MayBeMadeDefined(const Module& module, Inst inst) {
  const uint32_t width = module.Type(inst) == Id::kNone ? 0 : WidthOf(module, module.Type(inst));
  switch (module.Opcode(inst)) {
    case spv::Op::OpUDiv:
    case spv::Op::OpUMod:
    case spv::Op::OpSDiv:
    case spv::Op::OpSRem:
    case spv::Op::OpSMod:
    case spv::Op::OpShiftLeftLogical:
    case spv::Op::OpShiftRightLogical:
    case spv::Op::OpShiftRightArithmetic:
    case spv::Op::OpVectorExtractDynamic:
    case spv::Op::OpVectorInsertDynamic:
    case spv::Op::OpFDiv:
    case spv::Op::OpFRem:
    case spv::Op::OpFMod:
      return true;
    case spv::Op::OpConvertFToS:
    case spv::Op::OpConvertFToU:
      return width == 32 && IsOf32Bits(module, inst, 0);
    case spv::Op::OpBitFieldInsert:
      return width == 32 && IsOf32Bits(module, inst, 2) && IsOf32Bits(module, inst, 3);
    case spv::Op::OpBitFieldSExtract:
    case spv::Op::OpBitFieldUExtract:
      return width == 32 && IsOf32Bits(module, inst, 1) && IsOf32Bits(module, inst, 2);
    default:
      return IsGlsl(module, inst) && MayGlslBeMadeDefined(module, inst);
  }
}

void MakeDefined(Editor& editor, Inst inst, uint64_t role) {
  CHECK(MayBeMadeDefined(editor.module(), inst));
  Guard(editor, inst, role).Apply();
}

}  // namespace donate
}  // namespace refract
