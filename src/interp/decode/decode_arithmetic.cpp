// SPDX-License-Identifier: Apache-2.0
// Arithmetic, logic, comparisons, conversions and casts of integers, booleans and floats.
#include "interp/decode/opcode_table.h"
#include "interp/ops/ops.h"
#include "interp/ops/ops_address.h"

namespace refract {
inline namespace interp {
namespace {

using FindHandler = Handler (*)(const OpKey& key);

// Finds the handler for the types of the operands and of the result.
template <FindHandler kFind>
Status FindOperationHandler(Decoder& decoder, const Operation& operation, Handler* handler) {
  // The validator does not check the operands of OpSpecConstantOp.
  if (operation.operand_count == 0) return DecodeUnsupported(decoder, operation);
  const Result<const TypeInfo*> operand = decoder.writer.OperandType(operation, 0);
  if (!operand) return operand.error();
  const Result<const TypeInfo*> result = decoder.writer.ResultType(operation);
  if (!result) return result.error();
  *handler = kFind({operation.opcode, (*operand)->scalar, (*result)->scalar});
  if (*handler == nullptr) return DecodeUnsupported(decoder, operation);
  return {};
}

template <FindHandler kFind>
Status DecodeSimple(Decoder& decoder, const Operation& operation) {
  Handler handler = nullptr;
  Status status = FindOperationHandler<kFind>(decoder, operation, &handler);
  return status ? decoder.writer.EmitSimple(operation, handler) : status;
}

Status DecodeAnyAll(Decoder& decoder, const Operation& operation) {
  Handler handler = nullptr;
  Status status = FindOperationHandler<LogicalHandler>(decoder, operation, &handler);
  if (!status) return status;
  const Result<uint32_t> row = decoder.writer.OperandRow(operation, 0);
  if (!row) return row.error();
  Op op = decoder.writer.MakeOp(operation.inst, handler);
  const TypeInfo* type = nullptr;
  if (status = decoder.writer.ResultRows(operation, &op.result, &type); !status) return status;
  op.a = *row;
  op.count = (*decoder.writer.OperandType(operation, 0))->parts;
  decoder.writer.Emit(op);
  return {};
}

Status DecodeShift(Decoder& decoder, const Operation& operation) {
  Status status = DecodeSimple<IntegerHandler>(decoder, operation);
  if (!status) return status;
  const Result<const TypeInfo*> shift = decoder.writer.OperandType(operation, 1);
  if (!shift) return shift.error();
  decoder.writer.Last().d = static_cast<uint32_t>((*shift)->scalar);
  return {};
}

// `kFields`: the number of operands before the offset.
template <uint32_t kFields>
Status DecodeBitField(Decoder& decoder, const Operation& operation) {
  Handler handler = nullptr;
  Status status = FindOperationHandler<IntegerHandler>(decoder, operation, &handler);
  if (!status) return status;
  std::vector<uint32_t> words;
  for (uint32_t i = kFields; i < kFields + 2; ++i) {
    const Result<uint32_t> row = decoder.writer.OperandRow(operation, i);
    if (!row) return row.error();
    const Result<const TypeInfo*> type = decoder.writer.OperandType(operation, i);
    if (!type) return type.error();
    words.push_back(*row);
    words.push_back(static_cast<uint32_t>((*type)->scalar));
  }
  Operation fields = operation;
  fields.operand_count = kFields;
  if (status = decoder.writer.EmitSimple(fields, handler); !status) return status;
  decoder.writer.Last().list = decoder.writer.AddWords(words);
  return {};
}

// After the last instruction, `correct` corrects the shadows of results that depend on addresses,
// as those of `opcode`.
void EmitForAddresses(Decoder& decoder, Handler correct, Scalar operand, spv::Op opcode) {
  if (!decoder.code.has_addresses) return;
  if (operand != Scalar::kInt64 && operand != Scalar::kInt32) return;
  Op op = decoder.writer.Last();
  op.run = correct;
  op.scalar = operand;
  op.list = static_cast<uint32_t>(opcode);
  decoder.writer.Emit(op);
}

// Operations whose result is a struct with two members. The first one of OpIAddCarry and
// OpISubBorrow is the sum or the difference.
Status DecodeExtended(Decoder& decoder, const Operation& operation) {
  Status status = DecodeSimple<ExtendedHandler>(decoder, operation);
  if (!status) return status;
  const TypeInfo& operand = **decoder.writer.OperandType(operation, 0);
  Op& op = decoder.writer.Last();
  op.count = operand.parts;
  op.scalar = operand.scalar;
  op.c = op.result + static_cast<uint32_t>(operand.rows);
  if (operation.opcode == spv::Op::OpIAddCarry) {
    EmitForAddresses(decoder, KeepAddresses, operand.scalar, spv::Op::OpIAdd);
  }
  if (operation.opcode == spv::Op::OpISubBorrow) {
    EmitForAddresses(decoder, KeepAddresses, operand.scalar, spv::Op::OpISub);
  }
  return {};
}

// Instructions after which `kCorrect` corrects the shadows of results that depend on addresses.
template <Handler kCorrect>
Status DecodeOfAddresses(Decoder& decoder, const Operation& operation) {
  Status status = DecodeSimple<IntegerHandler>(decoder, operation);
  if (!status) return status;
  const TypeInfo& operand = **decoder.writer.OperandType(operation, 0);
  EmitForAddresses(decoder, kCorrect, operand.scalar, operation.opcode);
  return {};
}

// Comparisons and conversions, which also need the type of their operand.
Status DecodeWithOperandType(Decoder& decoder, const Operation& operation) {
  Status status = DecodeSimple<FloatHandler>(decoder, operation);
  if (!status) return status;
  const TypeInfo& operand = **decoder.writer.OperandType(operation, 0);
  decoder.writer.Last().d = static_cast<uint32_t>(operand.scalar);
  return {};
}

Status DecodeSelect(Decoder& decoder, const Operation& operation) {
  const Result<const TypeInfo*> condition = decoder.writer.OperandType(operation, 0);
  if (!condition) return condition.error();
  if (Status status = decoder.writer.EmitSimple(operation, SelectRows); !status) return status;
  decoder.writer.DropRelax();
  const Result<const TypeInfo*> type = decoder.writer.ResultType(operation);
  if (!type) return type.error();
  if ((*condition)->opcode != spv::Op::OpTypeVector) {
    const bool is_plain = (*type)->opcode == spv::Op::OpTypeInt ||
                          (*type)->opcode == spv::Op::OpTypeFloat ||
                          (*type)->opcode == spv::Op::OpTypeVector;
    decoder.writer.Last().count = static_cast<uint32_t>((*type)->rows);
    decoder.writer.Last().d = is_plain ? RowsOf((*type)->scalar) : decoder.writer.Last().count;
    return {};
  }
  Op op = decoder.writer.Last();
  decoder.writer.DropLast();
  op.count = RowsOf((*type)->scalar);
  op.d = op.count;
  for (uint32_t i = 0; i < (*condition)->parts; ++i) {
    decoder.writer.Emit(op);
    ++op.a;
    op.b += op.count;
    op.c += op.count;
    op.result += op.count;
  }
  return {};
}

// Casts from and to pointers to PhysicalStorageBuffer.
Status DecodePointerCast(Decoder& decoder, const Operation& operation, const TypeInfo& from,
                         const TypeInfo& to) {
  const auto is_pointer = [](const TypeInfo& type) { return type.scalar == Scalar::kAddress; };
  const auto is_number = [](const TypeInfo& type) {
    return type.opcode == spv::Op::OpTypeInt || (type.opcode == spv::Op::OpTypeVector &&
                                                 type.scalar == Scalar::kInt32 && type.parts == 2);
  };
  Handler handler = nullptr;
  if (is_pointer(from) && is_number(to)) {
    handler = NumberFromPointer;
  } else if (is_number(from) && is_pointer(to)) {
    handler = PointerFromNumber;
  } else if (is_pointer(from) && is_pointer(to)) {
    handler = CopyRows;
  } else {
    return decoder.Cannot(operation.inst, "casts of these pointers are not supported");
  }
  const Result<uint32_t> row = decoder.writer.OperandRow(operation, 0);
  if (!row) return row.error();
  Op op = decoder.writer.MakeOp(operation.inst, handler);
  const TypeInfo* type = nullptr;
  if (Status status = decoder.writer.ResultRows(operation, &op.result, &type); !status) {
    return status;
  }
  const TypeInfo& number = handler == PointerFromNumber ? from : to;
  op.a = *row;
  op.scalar = number.scalar;
  op.count = handler == CopyRows ? static_cast<uint32_t>(type->rows) : number.parts;
  decoder.writer.Emit(op);
  return {};
}

}  // namespace

Status DecodeBitcast(Decoder& decoder, const Operation& operation) {
  const Result<const TypeInfo*> from = decoder.writer.OperandType(operation, 0);
  if (!from) return from.error();
  const Result<const TypeInfo*> result = decoder.writer.ResultType(operation);
  if (!result) return result.error();
  if ((*from)->opcode == spv::Op::OpTypePointer || (*result)->opcode == spv::Op::OpTypePointer) {
    return DecodePointerCast(decoder, operation, **from, **result);
  }
  if (Status status = decoder.writer.EmitSimple(operation, BitcastRows); !status) return status;
  decoder.writer.DropRelax();
  Op& op = decoder.writer.Last();
  op.b = (*from)->parts;
  op.c = static_cast<uint32_t>((*from)->scalar);
  op.count = (*result)->parts;
  op.scalar = (*result)->scalar;
  return {};
}

std::span<const OpcodeRow> ArithmeticOpcodes() {
  using enum spv::Op;
  constexpr DecodeFunction kLogical = DecodeSimple<LogicalHandler>;
  constexpr DecodeFunction kInteger = DecodeSimple<IntegerHandler>;
  constexpr DecodeFunction kFloat = DecodeSimple<FloatHandler>;
  static constexpr OpcodeRow kRows[] = {
      {OpSelect, DecodeSelect},
      {OpBitcast, DecodeBitcast},
      {OpConvertPtrToU, DecodeBitcast},
      {OpConvertUToPtr, DecodeBitcast},
      {OpLogicalEqual, kLogical},
      {OpLogicalNotEqual, kLogical},
      {OpLogicalNot, kLogical},
      {OpLogicalAnd, kLogical},
      {OpLogicalOr, kLogical},
      {OpAny, DecodeAnyAll},
      {OpAll, DecodeAnyAll},
      {OpIAddCarry, DecodeExtended},
      {OpISubBorrow, DecodeExtended},
      {OpUMulExtended, DecodeExtended},
      {OpSMulExtended, DecodeExtended},
      {OpIAdd, DecodeOfAddresses<KeepAddresses>},
      {OpISub, DecodeOfAddresses<KeepAddresses>},
      {OpIMul, kInteger},
      {OpUDiv, kInteger},
      {OpSDiv, kInteger},
      {OpUMod, kInteger},
      {OpSRem, kInteger},
      {OpSMod, kInteger},
      {OpSNegate, kInteger},
      {OpBitwiseAnd, kInteger},
      {OpBitwiseOr, DecodeOfAddresses<KeepAddresses>},
      {OpBitwiseXor, DecodeOfAddresses<KeepAddresses>},
      {OpNot, kInteger},
      {OpBitReverse, kInteger},
      {OpBitCount, kInteger},
      {OpShiftLeftLogical, DecodeShift},
      {OpShiftRightLogical, DecodeShift},
      {OpShiftRightArithmetic, DecodeShift},
      {OpBitFieldSExtract, DecodeBitField<1>},
      {OpBitFieldUExtract, DecodeBitField<1>},
      {OpBitFieldInsert, DecodeBitField<2>},
      {OpIEqual, DecodeOfAddresses<CompareAddresses>},
      {OpINotEqual, DecodeOfAddresses<CompareAddresses>},
      {OpULessThan, kInteger},
      {OpSLessThan, kInteger},
      {OpULessThanEqual, kInteger},
      {OpSLessThanEqual, kInteger},
      {OpUGreaterThan, kInteger},
      {OpSGreaterThan, kInteger},
      {OpUGreaterThanEqual, kInteger},
      {OpSGreaterThanEqual, kInteger},
      {OpUConvert, kInteger},
      {OpSConvert, kInteger},
      {OpFAdd, kFloat},
      {OpFSub, kFloat},
      {OpFMul, kFloat},
      {OpFDiv, kFloat},
      {OpFRem, kFloat},
      {OpFMod, kFloat},
      {OpFNegate, DecodeWithOperandType},
      {OpFOrdEqual, DecodeWithOperandType},
      {OpFUnordEqual, DecodeWithOperandType},
      {OpFOrdNotEqual, DecodeWithOperandType},
      {OpFUnordNotEqual, DecodeWithOperandType},
      {OpFOrdLessThan, DecodeWithOperandType},
      {OpFUnordLessThan, DecodeWithOperandType},
      {OpFOrdGreaterThan, DecodeWithOperandType},
      {OpFUnordGreaterThan, DecodeWithOperandType},
      {OpFOrdLessThanEqual, DecodeWithOperandType},
      {OpFUnordLessThanEqual, DecodeWithOperandType},
      {OpFOrdGreaterThanEqual, DecodeWithOperandType},
      {OpFUnordGreaterThanEqual, DecodeWithOperandType},
      {OpIsNan, DecodeWithOperandType},
      {OpIsInf, DecodeWithOperandType},
      {OpConvertFToS, DecodeWithOperandType},
      {OpConvertFToU, DecodeWithOperandType},
      {OpConvertSToF, DecodeWithOperandType},
      {OpConvertUToF, DecodeWithOperandType},
      {OpFConvert, DecodeWithOperandType},
      {OpQuantizeToF16, DecodeWithOperandType},
  };
  return kRows;
}

}  // namespace interp
}  // namespace refract
