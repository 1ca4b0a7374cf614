// SPDX-License-Identifier: Apache-2.0
#include "transform/value/componentwise.h"

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract {
inline namespace transform {
namespace {

using spv::Op;

// "Results are computed per component": SPIR-V 3.42.11 and 3.42.13 to 3.42.15, without operations
// on whole vectors or matrices.
bool IsComponentwise(Op opcode) {
  switch (opcode) {
    case Op::OpConvertFToU:
    case Op::OpConvertFToS:
    case Op::OpConvertSToF:
    case Op::OpConvertUToF:
    case Op::OpUConvert:
    case Op::OpSConvert:
    case Op::OpFConvert:
    case Op::OpQuantizeToF16:
    case Op::OpBitcast:
    case Op::OpSNegate:
    case Op::OpFNegate:
    case Op::OpIAdd:
    case Op::OpFAdd:
    case Op::OpISub:
    case Op::OpFSub:
    case Op::OpIMul:
    case Op::OpFMul:
    case Op::OpUDiv:
    case Op::OpSDiv:
    case Op::OpFDiv:
    case Op::OpUMod:
    case Op::OpSRem:
    case Op::OpSMod:
    case Op::OpFRem:
    case Op::OpFMod:
    case Op::OpShiftRightLogical:
    case Op::OpShiftRightArithmetic:
    case Op::OpShiftLeftLogical:
    case Op::OpBitwiseOr:
    case Op::OpBitwiseXor:
    case Op::OpBitwiseAnd:
    case Op::OpNot:
    case Op::OpBitFieldInsert:
    case Op::OpBitFieldSExtract:
    case Op::OpBitFieldUExtract:
    case Op::OpBitReverse:
    case Op::OpBitCount:
    case Op::OpIsNan:
    case Op::OpIsInf:
    case Op::OpLogicalEqual:
    case Op::OpLogicalNotEqual:
    case Op::OpLogicalOr:
    case Op::OpLogicalAnd:
    case Op::OpLogicalNot:
    case Op::OpSelect:
    case Op::OpIEqual:
    case Op::OpINotEqual:
    case Op::OpUGreaterThan:
    case Op::OpSGreaterThan:
    case Op::OpUGreaterThanEqual:
    case Op::OpSGreaterThanEqual:
    case Op::OpULessThan:
    case Op::OpSLessThan:
    case Op::OpULessThanEqual:
    case Op::OpSLessThanEqual:
    case Op::OpFOrdEqual:
    case Op::OpFUnordEqual:
    case Op::OpFOrdNotEqual:
    case Op::OpFUnordNotEqual:
    case Op::OpFOrdLessThan:
    case Op::OpFUnordLessThan:
    case Op::OpFOrdGreaterThan:
    case Op::OpFUnordGreaterThan:
    case Op::OpFOrdLessThanEqual:
    case Op::OpFUnordLessThanEqual:
    case Op::OpFOrdGreaterThanEqual:
    case Op::OpFUnordGreaterThanEqual:
      return true;
    default:
      return false;
  }
}

// "Operand and result types are scalars or vectors; computed per component."
bool IsComponentwiseGlsl(uint32_t number) {
  switch (number) {
    case GLSLstd450Determinant:
    case GLSLstd450MatrixInverse:
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
    case GLSLstd450IMix:
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
      return false;
    case GLSLstd450FindILsb:
    case GLSLstd450FindSMsb:
    case GLSLstd450FindUMsb:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450NClamp:
      return true;
    default:  // up to Ldexp, all others are component-wise
      return number >= GLSLstd450Round && number <= GLSLstd450Ldexp;
  }
}

uint32_t ComponentCountOf(const Module& module, Id type) {
  return IsVector(module, type) ? PartCount(module, type).value_or(0) : 1;
}

}  // namespace

bool IsComponentwise(const Module& module, Inst inst) {
  const Op opcode = module.Opcode(inst);
  if (opcode != Op::OpExtInst) return IsComponentwise(opcode);
  return ExtInstSetOf(module, inst) == ExtInstSet::kGlsl &&
         IsComponentwiseGlsl(module.Word(inst, 1));
}

uint32_t FirstComponentOperand(const Module& module, Inst inst) {
  return module.Opcode(inst) == Op::OpExtInst ? 2 : 0;
}

bool IsSharedByComponents(const Module& module, Inst inst, uint32_t operand) {
  switch (module.Opcode(inst)) {
    case Op::OpBitFieldInsert:
      return operand >= 2;
    case Op::OpBitFieldSExtract:
    case Op::OpBitFieldUExtract:
      return operand >= 1;
    case Op::OpSelect:  // since version 1.4
      return operand == 0 && IsVector(module, module.Type(inst)) &&
             IsBool(module, module.TypeOf(module.IdAt(inst, 0)));
    default:
      return false;
  }
}

CheckResult MayChangeComponentCount(const View& view, Inst inst) {
  const Module& module = view.module();
  if (!IsComponentwise(module, inst)) return No("the operation is not component-wise");
  const Id type = module.Type(inst);
  const uint32_t lanes = ComponentCountOf(module, type);
  if (ScalarType(module, type) == Id::kNone || !IsOrdinary(module, type)) {
    return No("the result is not a scalar or vector of a supported type");
  }
  for (uint32_t i = FirstComponentOperand(module, inst); i < module.OperandCount(inst); ++i) {
    const Id operand_type = module.TypeOf(module.IdAt(inst, i));
    if (!IsOrdinary(module, operand_type)) return No("the type of an operand is not supported");
    if (!IsSharedByComponents(module, inst, i) && ComponentCountOf(module, operand_type) != lanes) {
      return No("an operand and the result have different numbers of components");
    }
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  return Yes();
}

}  // namespace transform
}  // namespace refract
