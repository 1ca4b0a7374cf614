// SPDX-License-Identifier: Apache-2.0
// Composites are adjacent rows, so constructing a composite and extracting a part select rows.
#include "interp/decode/opcode_table.h"
#include "interp/ops/ops.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {
namespace {

// In a block: the op runs each time, and each use may get another value.
Status DecodeUndef(Decoder& decoder, const Operation& operation) {
  Op op = decoder.writer.MakeOp(operation.inst, MakeUndefined);
  const TypeInfo* type = nullptr;
  if (Status status = decoder.writer.ResultRows(operation, &op.result, &type); !status) {
    return status;
  }
  op.count = static_cast<uint32_t>(type->rows);
  decoder.writer.Emit(op);
  return {};
}

// The first row, counted from that of the composite, of the part that the literals from operand
// `first_index` on select.
Result<uint32_t> FindPart(Decoder& decoder, const Operation& operation, Id type,
                          uint32_t first_index, Id* part) {
  uint64_t place = 0;
  for (uint32_t i = first_index; i < operation.operand_count; ++i) {
    const TypeInfo* info = nullptr;
    if (Status status = decoder.types.ValueType(operation.inst, type, &info); !status) {
      return status.error();
    }
    const uint32_t index = operation.WordAt(i);
    // A scalar counts as one part, but has no parts to select.
    const bool is_composite = info->element != Id::kNone || !info->member_rows.empty();
    if (!is_composite || index >= info->parts) {
      return decoder.Cannot(operation.inst, "an index is out of range");
    }
    place += info->element != Id::kNone ? index * info->element_rows : info->member_rows[index];
    type = info->element != Id::kNone ? info->element : info->members[index];
  }
  *part = type;
  return static_cast<uint32_t>(place);
}

Status DecodeExtract(Decoder& decoder, const Operation& operation) {
  const Id composite = operation.IdAt(0);
  const Result<uint32_t> row = decoder.writer.RowOf(operation.inst, composite);
  if (!row) return row.error();
  Id part = Id::kNone;
  const Result<uint32_t> place =
      FindPart(decoder, operation, decoder.module.TypeOf(composite), 1, &part);
  if (!place) return place.error();
  return decoder.writer.Alias(operation, *row + *place);
}

Status DecodeInsert(Decoder& decoder, const Operation& operation) {
  const Id object = operation.IdAt(0), composite = operation.IdAt(1);
  const Result<uint32_t> from = decoder.writer.RowOf(operation.inst, object);
  if (!from) return from.error();
  const Result<uint32_t> base = decoder.writer.RowOf(operation.inst, composite);
  if (!base) return base.error();
  Id part = Id::kNone;
  const Result<uint32_t> place =
      FindPart(decoder, operation, decoder.module.TypeOf(composite), 2, &part);
  if (!place) return place.error();
  const TypeInfo* whole = nullptr;
  if (Status status =
          decoder.types.ValueType(operation.inst, decoder.module.TypeOf(composite), &whole);
      !status) {
    return status;
  }
  const TypeInfo* inserted = nullptr;
  if (Status status = decoder.types.ValueType(operation.inst, part, &inserted); !status) {
    return status;
  }
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < whole->rows; ++i) {
    const bool inside = i >= *place && i < *place + inserted->rows;
    rows.push_back(inside ? *from + i - *place : *base + i);
  }
  return decoder.writer.EmitGather(operation, rows);
}

Status DecodeConstruct(Decoder& decoder, const Operation& operation) {
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < operation.operand_count; ++i) {
    const Result<uint32_t> row = decoder.writer.OperandRow(operation, i);
    if (!row) return row.error();
    const Result<const TypeInfo*> type = decoder.writer.OperandType(operation, i);
    if (!type) return type.error();
    for (uint32_t r = 0; r < (*type)->rows; ++r) rows.push_back(*row + r);
  }
  return decoder.writer.EmitGather(operation, rows);
}

Status DecodeShuffle(Decoder& decoder, const Operation& operation) {
  const Result<const TypeInfo*> first = decoder.writer.OperandType(operation, 0);
  if (!first) return first.error();
  const Result<uint32_t> a = decoder.writer.OperandRow(operation, 0);
  if (!a) return a.error();
  const Result<uint32_t> b = decoder.writer.OperandRow(operation, 1);
  if (!b) return b.error();
  const Result<const TypeInfo*> second = decoder.writer.OperandType(operation, 1);
  if (!second) return second.error();
  std::vector<uint32_t> rows;
  const uint32_t each = RowsOf((*first)->scalar);
  for (uint32_t i = 2; i < operation.operand_count; ++i) {
    const uint32_t component = operation.WordAt(i);
    // The validator does not check the operands of OpSpecConstantOp.
    if (component != 0xffffffff && component >= (*first)->parts + (*second)->parts) {
      return decoder.Cannot(operation.inst, "a component is out of range");
    }
    for (uint32_t r = 0; r < each; ++r) {
      if (component == 0xffffffff) {
        rows.push_back(decoder.constants.UndefinedRow());
      } else if (component < (*first)->parts) {
        rows.push_back(*a + component * each + r);
      } else {
        rows.push_back(*b + (component - (*first)->parts) * each + r);
      }
    }
  }
  return decoder.writer.EmitGather(operation, rows);
}

Status DecodeTranspose(Decoder& decoder, const Operation& operation) {
  const Result<const TypeInfo*> matrix = decoder.writer.OperandType(operation, 0);
  if (!matrix) return matrix.error();
  const Result<uint32_t> from = decoder.writer.OperandRow(operation, 0);
  if (!from) return from.error();
  const uint32_t each = RowsOf((*matrix)->scalar);
  const uint32_t in_column = static_cast<uint32_t>((*matrix)->element_rows) / each;
  std::vector<uint32_t> rows;
  for (uint32_t r = 0; r < in_column; ++r) {
    for (uint32_t c = 0; c < (*matrix)->parts; ++c) {
      for (uint32_t i = 0; i < each; ++i) rows.push_back(*from + (c * in_column + r) * each + i);
    }
  }
  return decoder.writer.EmitGather(operation, rows);
}

Status DecodeDynamic(Decoder& decoder, const Operation& operation) {
  const bool inserts = operation.opcode == spv::Op::OpVectorInsertDynamic;
  const Result<const TypeInfo*> vector = decoder.writer.OperandType(operation, 0);
  if (!vector) return vector.error();
  const Result<const TypeInfo*> index = decoder.writer.OperandType(operation, inserts ? 2 : 1);
  if (!index) return index.error();
  if (Status status =
          decoder.writer.EmitSimple(operation, inserts ? InsertDynamic : ExtractDynamic);
      !status) {
    return status;
  }
  decoder.writer.DropRelax();
  Op& op = decoder.writer.Last();
  op.d = (*vector)->parts;
  op.list = static_cast<uint32_t>((*index)->scalar);
  return {};
}

// OpCopyObject and OpCopyLogical.
Status DecodeCopy(Decoder& decoder, const Operation& operation) {
  const Id source = operation.IdAt(0), result = decoder.module.Result(operation.inst);
  const Id type = decoder.module.TypeOf(source);
  if (TypeOpcode(decoder.module, type) == spv::Op::OpTypePointer) {
    const Result<PointerInfo> pointer = decoder.pointers.Of(operation.inst, source);
    if (!pointer) return pointer.error();
    if (!decoder.rows.Has(result)) {
      decoder.pointers.Set(result, *pointer);
      return {};
    }
    const Result<uint32_t> row = decoder.pointers.RowOf(operation.inst, source);
    if (!row) return row.error();
    return decoder.writer.Alias(operation, *row);
  }
  const Result<uint32_t> row = decoder.writer.RowOf(operation.inst, source);
  if (!row) return row.error();
  return decoder.writer.Alias(operation, *row);
}

}  // namespace

std::span<const OpcodeRow> CompositeOpcodes() {
  using enum spv::Op;
  static constexpr OpcodeRow kRows[] = {
      {OpCompositeExtract, DecodeExtract},
      {OpCompositeInsert, DecodeInsert},
      {OpCompositeConstruct, DecodeConstruct},
      {OpVectorShuffle, DecodeShuffle},
      {OpTranspose, DecodeTranspose},
      {OpVectorExtractDynamic, DecodeDynamic},
      {OpVectorInsertDynamic, DecodeDynamic},
      {OpCopyObject, DecodeCopy},
      {OpCopyLogical, DecodeCopy},
      {OpUndef, DecodeUndef},
  };
  return kRows;
}

}  // namespace interp
}  // namespace refract
