// SPDX-License-Identifier: Apache-2.0
// Types of operands and results (SPIR-V chapter 3) of the computations that validity_types.cpp does
// not check: linear algebra, conversions, bits, dynamic indices, GLSL.std.450. No transformation
// changes these types, but donated functions contain such instructions.
#include <spirv/unified1/GLSL.std.450.h>

#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace ir {
namespace validity {
namespace {

bool IsMatrix(const Module& module, Id type) {
  return TypeOpcode(module, type) == spv::Op::OpTypeMatrix;
}

class OperationChecker {
 public:
  OperationChecker(const Module& module, Inst inst) : module_(module), inst_(inst) {}

  Status Check() {
    switch (module_.Opcode(inst_)) {
      case spv::Op::OpVectorTimesScalar:
        Want(IsVector(module_, Result()) && IsFloats(Result()) && TypeOf(0) == Result() &&
                 TypeOf(1) == Element(Result()),
             "the type of the vector or the scalar does not match the result");
        break;
      case spv::Op::OpMatrixTimesScalar:
        Want(IsMatrix(module_, Result()) && TypeOf(0) == Result() &&
                 TypeOf(1) == Element(Element(Result())),
             "the type of the matrix or the scalar does not match the result");
        break;
      case spv::Op::OpVectorTimesMatrix:
        Want(IsVector(module_, Result()) && IsVector(module_, TypeOf(0)) &&
                 IsMatrix(module_, TypeOf(1)) && Element(TypeOf(1)) == TypeOf(0) &&
                 Parts(TypeOf(1)) == Parts(Result()) && Element(TypeOf(0)) == Element(Result()),
             "the type of the vector or the matrix does not match the result");
        break;
      case spv::Op::OpMatrixTimesVector:
        Want(IsMatrix(module_, TypeOf(0)) && Element(TypeOf(0)) == Result() &&
                 IsVector(module_, TypeOf(1)) && Parts(TypeOf(1)) == Parts(TypeOf(0)) &&
                 Element(TypeOf(1)) == Element(Result()),
             "the type of the matrix or the vector does not match the result");
        break;
      case spv::Op::OpMatrixTimesMatrix:
        Want(IsMatrix(module_, Result()) && IsMatrix(module_, TypeOf(0)) &&
                 IsMatrix(module_, TypeOf(1)) && Element(TypeOf(0)) == Element(Result()) &&
                 Parts(TypeOf(1)) == Parts(Result()) &&
                 Parts(Element(TypeOf(1))) == Parts(TypeOf(0)) &&
                 Element(Element(TypeOf(1))) == Element(Element(Result())),
             "the type of a matrix does not match the result");
        break;
      case spv::Op::OpOuterProduct:
        Want(IsMatrix(module_, Result()) && TypeOf(0) == Element(Result()) &&
                 IsVector(module_, TypeOf(1)) && Parts(TypeOf(1)) == Parts(Result()) &&
                 Element(TypeOf(1)) == Element(TypeOf(0)),
             "the type of a vector does not match the result");
        break;
      case spv::Op::OpTranspose:
        Want(IsMatrix(module_, Result()) && IsMatrix(module_, TypeOf(0)) &&
                 Parts(TypeOf(0)) == Parts(Element(Result())) &&
                 Parts(Element(TypeOf(0))) == Parts(Result()) &&
                 Element(Element(TypeOf(0))) == Element(Element(Result())),
             "the type of the matrix does not match the result");
        break;
      case spv::Op::OpDot:
        Want(IsFloat(module_, Result()) && IsVector(module_, TypeOf(0)) && TypeOf(0) == TypeOf(1) &&
                 Element(TypeOf(0)) == Result(),
             "the types of the vectors do not match the result");
        break;
      default:
        CheckConversion();
    }
    return status_;
  }

 private:
  void CheckConversion() {
    switch (module_.Opcode(inst_)) {
      case spv::Op::OpConvertFToU:
        Want(IsInts(Result()) && !IsSigned(module_, ScalarType(module_, Result())) &&
                 IsFloats(TypeOf(0)) && SameCount(Result(), TypeOf(0)),
             "the instruction must convert floats to unsigned integers");
        break;
      case spv::Op::OpConvertFToS:
        Want(IsInts(Result()) && IsFloats(TypeOf(0)) && SameCount(Result(), TypeOf(0)),
             "the instruction must convert floats to integers");
        break;
      case spv::Op::OpConvertSToF:
      case spv::Op::OpConvertUToF:
        Want(IsFloats(Result()) && IsInts(TypeOf(0)) && SameCount(Result(), TypeOf(0)),
             "the instruction must convert integers to floats");
        break;
      case spv::Op::OpUConvert:
      case spv::Op::OpSConvert:
        Want(IsInts(Result()) && IsInts(TypeOf(0)) && SameCount(Result(), TypeOf(0)) &&
                 Bits(Result()) != Bits(TypeOf(0)) &&
                 (module_.Opcode(inst_) == spv::Op::OpSConvert ||
                  !IsSigned(module_, ScalarType(module_, Result()))),
             "the instruction must convert integers to a different width");
        break;
      case spv::Op::OpFConvert:
        Want(IsFloats(Result()) && IsFloats(TypeOf(0)) && SameCount(Result(), TypeOf(0)) &&
                 Bits(Result()) != Bits(TypeOf(0)),
             "the instruction must convert floats to a different width");
        break;
      case spv::Op::OpBitcast:
        if (IsPointer(module_, Result()) != IsPointer(module_, TypeOf(0))) {
          const Id other = IsPointer(module_, Result()) ? TypeOf(0) : Result();
          Want(IsInts(other), "a pointer can be cast only to and from pointers and integers");
        }
        if (!IsNumbers(Result()) || !IsNumbers(TypeOf(0))) break;
        Want(Bits(Result()) == Bits(TypeOf(0)),
             "the operand and the result have different numbers of bits");
        break;
      case spv::Op::OpAny:
      case spv::Op::OpAll:
        Want(IsBool(module_, Result()) && IsVector(module_, TypeOf(0)) && IsBools(TypeOf(0)),
             "the operand must be a vector of booleans and the result a boolean");
        break;
      case spv::Op::OpIsNan:
      case spv::Op::OpIsInf:
        Want(IsBools(Result()) && IsFloats(TypeOf(0)) && SameCount(Result(), TypeOf(0)),
             "the type of the operand does not match the result");
        break;
      case spv::Op::OpVectorExtractDynamic:
        Want(IsVector(module_, TypeOf(0)) && Element(TypeOf(0)) == Result() &&
                 IsInt(module_, TypeOf(1)),
             "the type of the vector or the index does not match the result");
        break;
      case spv::Op::OpVectorInsertDynamic:
        Want(IsVector(module_, Result()) && TypeOf(0) == Result() &&
                 TypeOf(1) == Element(Result()) && IsInt(module_, TypeOf(2)),
             "the type of the vector, the component or the index does not match the result");
        break;
      default:
        CheckBits();
    }
  }

  void CheckBits() {
    switch (module_.Opcode(inst_)) {
      case spv::Op::OpBitFieldInsert:
        Want(IsInts(Result()) && TypeOf(0) == Result() && TypeOf(1) == Result() &&
                 IsInt(module_, TypeOf(2)) && IsInt(module_, TypeOf(3)),
             "the type of an operand does not match the result");
        break;
      case spv::Op::OpBitFieldSExtract:
      case spv::Op::OpBitFieldUExtract:
        Want(IsInts(Result()) && TypeOf(0) == Result() && IsInt(module_, TypeOf(1)) &&
                 IsInt(module_, TypeOf(2)),
             "the type of an operand does not match the result");
        break;
      case spv::Op::OpBitReverse:
        Want(IsInts(Result()) && TypeOf(0) == Result(),
             "the base and the result have different types");
        break;
      case spv::Op::OpBitCount:
        Want(IsInts(Result()) && IsInts(TypeOf(0)) && SameCount(Result(), TypeOf(0)),
             "the type of the base does not match the result");
        break;
      case spv::Op::OpIAddCarry:
      case spv::Op::OpISubBorrow:
      case spv::Op::OpUMulExtended:
      case spv::Op::OpSMulExtended: {
        const Id part = PartType(module_, Result(), 0);
        Want(TypeOpcode(module_, Result()) == spv::Op::OpTypeStruct && Parts(Result()) == 2 &&
                 PartType(module_, Result(), 1) == part && IsInts(part) && TypeOf(0) == part &&
                 TypeOf(1) == part,
             "the type of an operand does not match the result");
        break;
      }
      case spv::Op::OpExtInst:
        if (ExtInstSetOf(module_, inst_) == ExtInstSet::kGlsl) CheckGlsl();
        break;
      default:
        break;
    }
  }

  void CheckGlsl() {
    const GlslSignature kind = GlslSignatureOf(module_.Word(inst_, 1));
    if (kind == GlslSignature::kOther) return;
    const uint32_t operands = GlslGrammarOf(module_.Word(inst_, 1))->operand_count;
    Want(Count() == operands + 2,
         "the number of operands does not match this extended instruction");
    if (!status_) return;
    const char* const unlike = "the type of an operand does not match the result";
    switch (kind) {
      case GlslSignature::kOther:
        return;
      case GlslSignature::kInts:
        Want(IsInts(Result()), "the result type is not allowed for this instruction");
        for (uint32_t i = 2; status_ && i < Count(); ++i) {
          Want(TypeOf(i) != Id::kNone && IsInts(TypeOf(i)) &&
                   EqualUpToSign(module_, Result(), TypeOf(i)),
               unlike);
        }
        return;
      case GlslSignature::kCross:
        Want(Components(Result()) == 3, "the result does not have three components");
        [[fallthrough]];
      case GlslSignature::kFloats:
        return WantFloats(Result(), Count());
      case GlslSignature::kLength:
        Want(IsFloat(module_, Result()) && Scalar(TypeOf(2)) == Result(), unlike);
        return WantFloats(TypeOf(2), Count());
      case GlslSignature::kRefract:
        WantFloats(Result(), 4);
        return Want(IsFloat(module_, TypeOf(4)),
                    "the ratio of the indices of refraction is not a scalar float");
      case GlslSignature::kLdexp:
        WantFloats(Result(), 3);
        return Want(IsInts(TypeOf(3)) && SameCount(Result(), TypeOf(3)), unlike);
      case GlslSignature::kPack:
        return Want(IsPacked(Result(), TypeOf(2)), unlike);
      case GlslSignature::kUnpack:
        return Want(IsPacked(TypeOf(2), Result()), unlike);
    }
  }

  // Requires that `type` and the operands up to `end` are floats of one type.
  void WantFloats(Id type, uint32_t end) {
    Want(IsFloats(type), "the result type is not allowed for this instruction");
    for (uint32_t i = 2; status_ && i < end; ++i) {
      Want(TypeOf(i) == type, "the type of an operand does not match the result");
    }
  }
  bool IsPacked(Id packed, Id floats) const {
    const uint32_t number = module_.Word(inst_, 1);
    const bool four = number == GLSLstd450PackSnorm4x8 || number == GLSLstd450PackUnorm4x8 ||
                      number == GLSLstd450UnpackSnorm4x8 || number == GLSLstd450UnpackUnorm4x8;
    return packed != Id::kNone && IsInt(module_, packed) && Width(module_, packed) == 32 &&
           IsFloats(floats) && Width(module_, Scalar(floats)) == 32 &&
           Components(floats) == (four ? 4u : 2u);
  }

  void Want(bool good, const char* what) {
    if (status_ && !good) status_ = Violation("type-operand", what, module_, inst_);
  }
  uint32_t Count() const { return module_.OperandCount(inst_); }
  Id Result() const { return module_.Type(inst_); }
  Id TypeOf(uint32_t i) const {
    return i < Count() && module_.IsId(inst_, i) ? module_.TypeOf(module_.IdAt(inst_, i))
                                                 : Id::kNone;
  }
  Id Element(Id type) const { return type == Id::kNone ? type : ElementType(module_, type); }
  uint32_t Parts(Id type) const { return PartCount(module_, type).value_or(0); }
  Id Scalar(Id type) const { return type == Id::kNone ? type : ScalarType(module_, type); }
  bool IsFloats(Id type) const { return IsFloat(module_, Scalar(type)); }
  bool IsInts(Id type) const { return IsInt(module_, Scalar(type)); }
  bool IsBools(Id type) const { return IsBool(module_, Scalar(type)); }
  bool IsNumbers(Id type) const { return IsFloats(type) || IsInts(type); }
  uint32_t Components(Id type) const { return IsVector(module_, type) ? Parts(type) : 1; }
  bool SameCount(Id a, Id b) const { return Components(a) == Components(b); }
  uint32_t Bits(Id type) const { return Components(type) * Width(module_, Scalar(type)); }

  const Module& module_;
  const Inst inst_;
  Status status_;
};

}  // namespace

GlslSignature GlslSignatureOf(uint32_t number) {
  switch (number) {
    case GLSLstd450SAbs:
    case GLSLstd450SSign:
    case GLSLstd450UMin:
    case GLSLstd450SMin:
    case GLSLstd450UMax:
    case GLSLstd450SMax:
    case GLSLstd450UClamp:
    case GLSLstd450SClamp:
    case GLSLstd450FindILsb:
    case GLSLstd450FindSMsb:
    case GLSLstd450FindUMsb:
      return GlslSignature::kInts;
    case GLSLstd450Round:
    case GLSLstd450RoundEven:
    case GLSLstd450Trunc:
    case GLSLstd450FAbs:
    case GLSLstd450FSign:
    case GLSLstd450Floor:
    case GLSLstd450Ceil:
    case GLSLstd450Fract:
    case GLSLstd450Sqrt:
    case GLSLstd450InverseSqrt:
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450FClamp:
    case GLSLstd450FMix:
    case GLSLstd450Step:
    case GLSLstd450SmoothStep:
    case GLSLstd450Fma:
    case GLSLstd450Radians:
    case GLSLstd450Degrees:
    case GLSLstd450Sin:
    case GLSLstd450Cos:
    case GLSLstd450Tan:
    case GLSLstd450Asin:
    case GLSLstd450Acos:
    case GLSLstd450Atan:
    case GLSLstd450Sinh:
    case GLSLstd450Cosh:
    case GLSLstd450Tanh:
    case GLSLstd450Asinh:
    case GLSLstd450Acosh:
    case GLSLstd450Atanh:
    case GLSLstd450Atan2:
    case GLSLstd450Pow:
    case GLSLstd450Exp:
    case GLSLstd450Log:
    case GLSLstd450Exp2:
    case GLSLstd450Log2:
    case GLSLstd450Normalize:
    case GLSLstd450FaceForward:
    case GLSLstd450Reflect:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450NClamp:
      return GlslSignature::kFloats;
    case GLSLstd450Cross:
      return GlslSignature::kCross;
    case GLSLstd450Length:
    case GLSLstd450Distance:
      return GlslSignature::kLength;
    case GLSLstd450Refract:
      return GlslSignature::kRefract;
    case GLSLstd450Ldexp:
      return GlslSignature::kLdexp;
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450PackUnorm4x8:
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450PackUnorm2x16:
    case GLSLstd450PackHalf2x16:
      return GlslSignature::kPack;
    case GLSLstd450UnpackSnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
    case GLSLstd450UnpackSnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
    case GLSLstd450UnpackHalf2x16:
      return GlslSignature::kUnpack;
    default:
      return GlslSignature::kOther;
  }
}

Status CheckOperation(const Module& module, Inst inst) {
  return OperationChecker(module, inst).Check();
}

}  // namespace validity
}  // namespace ir
}  // namespace refract
