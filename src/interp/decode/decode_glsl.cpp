// SPDX-License-Identifier: Apache-2.0
// Instructions of GLSL.std.450.
#include <spirv/unified1/GLSL.std.450.h>

#include "interp/decode/opcode_table.h"
#include "interp/ops/ops.h"
#include "interp/ops/ops_glsl.h"

namespace refract {
inline namespace interp {
namespace {

Status DecodeGlslVector(Decoder& decoder, const Operation& operation, uint32_t number) {
  std::vector<uint32_t> words = {number, 0, 0, 0};
  Scalar scalar = Scalar::kFloat32;
  for (uint32_t i = 0; i < operation.operand_count && i < 3; ++i) {
    const Result<const TypeInfo*> operand = decoder.writer.OperandType(operation, i);
    if (!operand) return operand.error();
    if (i == 0) scalar = (*operand)->scalar;
    words[1 + i] = static_cast<uint32_t>((*operand)->rows) / RowsOf((*operand)->scalar);
  }
  if (Status status = decoder.writer.EmitSimple(operation, GlslVector); !status) return status;
  decoder.writer.Last().list = decoder.writer.AddWords(words);
  decoder.writer.Last().scalar = scalar;
  return {};
}

Status DecodePack(Decoder& decoder, const Operation& operation, uint32_t number, Handler handler) {
  const Result<const TypeInfo*> operand = decoder.writer.OperandType(operation, 0);
  if (!operand) return operand.error();
  const Result<const TypeInfo*> result = decoder.writer.ResultType(operation);
  if (!result) return result.error();
  const uint32_t components = std::max((*operand)->parts, (*result)->parts);
  if (Status status = decoder.writer.EmitSimple(operation, handler); !status) return status;
  Op& op = decoder.writer.Last();
  op.list = decoder.writer.AddWords({number});
  op.count = components;
  return {};
}

// The second result is the second member of the result, or is stored at the pointer in the second
// operand.
Status DecodeModfFrexp(Decoder& decoder, const Operation& operation, uint32_t number) {
  const bool is_modf = number == GLSLstd450Modf || number == GLSLstd450ModfStruct;
  const bool by_pointer = number == GLSLstd450Modf || number == GLSLstd450Frexp;
  const Result<const TypeInfo*> operand = decoder.writer.OperandType(operation, 0);
  if (!operand) return operand.error();
  const Result<uint32_t> from = decoder.writer.OperandRow(operation, 0);
  if (!from) return from.error();
  Op op = decoder.writer.MakeOp(operation.inst, is_modf ? GlslModf : GlslFrexp);
  const TypeInfo* type = nullptr;
  if (Status status = decoder.writer.ResultRows(operation, &op.result, &type); !status) {
    return status;
  }
  op.a = *from;
  op.scalar = (*operand)->scalar;
  op.count = (*operand)->parts;
  PointerInfo pointer;
  const TypeInfo* second = nullptr;
  if (by_pointer) {
    const Result<PointerInfo> found = decoder.pointers.Of(operation.inst, operation.IdAt(1));
    if (!found) return found.error();
    pointer = *found;
    if (Status status = decoder.types.ValueType(operation.inst, pointer.pointee, &second);
        !status) {
      return status;
    }
    op.b = decoder.rows.Allocate(second->rows);
  } else {
    if (Status status = decoder.types.ValueType(operation.inst, type->members[1], &second);
        !status) {
      return status;
    }
    op.b = op.result + static_cast<uint32_t>(type->member_rows[1]);
  }
  op.d = static_cast<uint32_t>(second->scalar);
  decoder.writer.Emit(op);
  return by_pointer ? decoder.writer.EmitStore(operation.inst, pointer, op.b) : Status();
}

}  // namespace

Status DecodeGlsl(Decoder& decoder, const Operation& operation, uint32_t number) {
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
      return DecodeGlslVector(decoder, operation, number);
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450PackUnorm4x8:
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450PackUnorm2x16:
    case GLSLstd450PackHalf2x16:
      return DecodePack(decoder, operation, number, GlslPack);
    case GLSLstd450UnpackSnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
    case GLSLstd450UnpackSnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
    case GLSLstd450UnpackHalf2x16:
      return DecodePack(decoder, operation, number, GlslUnpack);
    case GLSLstd450PackDouble2x32:
    case GLSLstd450UnpackDouble2x32:
      return DecodeBitcast(decoder, operation);
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
      return DecodeModfFrexp(decoder, operation, number);
    default:
      break;
  }
  const Result<const TypeInfo*> operand = decoder.writer.OperandType(operation, 0);
  if (!operand) return operand.error();
  if (number == GLSLstd450Ldexp) {
    const Result<const TypeInfo*> exponent = decoder.writer.OperandType(operation, 1);
    if (!exponent) return exponent.error();
    if (Status status = decoder.writer.EmitSimple(operation, GlslLdexp); !status) return status;
    decoder.writer.Last().d = static_cast<uint32_t>((*exponent)->scalar);
    return {};
  }
  const Scalar scalar = (*operand)->scalar;
  const Handler handler = GlslHandler(number, {operation.opcode, scalar, scalar});
  if (handler == nullptr) {
    return decoder.Cannot(operation.inst, "this instruction is not supported");
  }
  if (Status status = decoder.writer.EmitSimple(operation, handler); !status) return status;
  decoder.writer.Last().list = number;
  return {};
}

}  // namespace interp
}  // namespace refract
