// SPDX-License-Identifier: Apache-2.0
#include <spirv/unified1/GLSL.std.450.h>

#include "interp/decode/decode.h"
#include "interp/ops/ops_glsl.h"

namespace refract {
inline namespace interp {

Status Decoder::DecodeGlsl(const Form& form, uint32_t number) {
  switch (number) {
    case GLSLstd450Length:
    case GLSLstd450Distance:
    case GLSLstd450Normalize:
    case GLSLstd450Cross:
    case GLSLstd450FaceForward:
    case GLSLstd450Reflect:
    case GLSLstd450Refract:
    case GLSLstd450Determinant:
    case GLSLstd450MatrixInverse:
      return DecodeGlslVector(form, number);
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450PackUnorm4x8:
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450PackUnorm2x16:
    case GLSLstd450PackHalf2x16:
      return DecodePack(form, number, GlslPack);
    case GLSLstd450UnpackSnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
    case GLSLstd450UnpackSnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
    case GLSLstd450UnpackHalf2x16:
      return DecodePack(form, number, GlslUnpack);
    case GLSLstd450PackDouble2x32:
    case GLSLstd450UnpackDouble2x32:
      return DecodeBitcast(form);
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
      return DecodeParts(form, number);
    default:
      break;
  }
  const Result<const TypeInfo*> operand = OperandType(form, 0);
  if (!operand) return operand.error();
  if (number == GLSLstd450Ldexp) {
    const Result<const TypeInfo*> exponent = OperandType(form, 1);
    if (!exponent) return exponent.error();
    if (Status status = EmitPlain(form, GlslLdexp); !status) return status;
    ops_->back().d = static_cast<uint32_t>((*exponent)->scalar);
    return {};
  }
  const Scalar scalar = (*operand)->scalar;
  const Handler handler = GlslHandler(number, {form.opcode, scalar, scalar});
  if (handler == nullptr) return Cannot(form.inst, "this instruction is not supported");
  if (Status status = EmitPlain(form, handler); !status) return status;
  EmittedOp().list = number;
  return {};
}

Status Decoder::DecodeGlslVector(const Form& form, uint32_t number) {
  std::vector<uint32_t> words = {number, 0, 0, 0};
  Scalar scalar = Scalar::kFloat32;
  for (uint32_t i = 0; i < form.operands && i < 3; ++i) {
    const Result<const TypeInfo*> operand = OperandType(form, i);
    if (!operand) return operand.error();
    if (i == 0) scalar = (*operand)->scalar;
    words[1 + i] = static_cast<uint32_t>((*operand)->rows) / RowsOf((*operand)->scalar);
  }
  if (Status status = EmitPlain(form, GlslVector); !status) return status;
  ops_->back().list = AddWords(words);
  ops_->back().scalar = scalar;
  return {};
}

Status Decoder::DecodePack(const Form& form, uint32_t number, Handler handler) {
  const Result<const TypeInfo*> operand = OperandType(form, 0);
  if (!operand) return operand.error();
  const TypeInfo* result = nullptr;
  if (Status status = ValueType(form.inst, module_.Type(form.inst), &result); !status) {
    return status;
  }
  const uint32_t components = std::max((*operand)->parts, result->parts);
  if (Status status = EmitPlain(form, handler); !status) return status;
  Op& op = EmittedOp();
  op.list = AddWords({number});
  op.count = components;
  return {};
}

// The second result is the second member of the result, or is stored at the pointer in the second
// operand.
Status Decoder::DecodeParts(const Form& form, uint32_t number) {
  const bool is_modf = number == GLSLstd450Modf || number == GLSLstd450ModfStruct;
  const bool by_pointer = number == GLSLstd450Modf || number == GLSLstd450Frexp;
  const Result<const TypeInfo*> operand = OperandType(form, 0);
  if (!operand) return operand.error();
  const Result<uint32_t> from = RowOf(form.inst, OperandId(form, 0));
  if (!from) return from.error();
  Op op = MakeOp(form.inst, is_modf ? GlslModf : GlslFrexp);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &op.result, &type); !status) return status;
  op.a = *from;
  op.scalar = (*operand)->scalar;
  op.count = (*operand)->parts;
  PointerInfo pointer;
  const TypeInfo* second = nullptr;
  if (by_pointer) {
    const Result<PointerInfo> found = PointerOf(form.inst, OperandId(form, 1));
    if (!found) return found.error();
    pointer = *found;
    if (Status status = ValueType(form.inst, pointer.pointee, &second); !status) return status;
    op.b = NewRows(second->rows);
  } else {
    if (Status status = ValueType(form.inst, type->members[1], &second); !status) return status;
    op.b = op.result + static_cast<uint32_t>(type->places[1]);
  }
  op.d = static_cast<uint32_t>(second->scalar);
  Emit(op);
  return by_pointer ? EmitStore(form.inst, pointer, op.b) : Status();
}

}  // namespace interp
}  // namespace refract
