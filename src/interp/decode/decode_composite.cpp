// SPDX-License-Identifier: Apache-2.0
// Composites are adjacent rows, so constructing a composite and extracting a part select rows.
#include "base/text.h"
#include "interp/decode/decode.h"

namespace refract {
inline namespace interp {

Status Decoder::DecodeComposite(const Form& form, bool* done) {
  *done = true;
  switch (form.opcode) {
    case spv::Op::OpCompositeExtract:
      return DecodeExtract(form);
    case spv::Op::OpCompositeInsert:
      return DecodeInsert(form);
    case spv::Op::OpCompositeConstruct:
      return DecodeConstruct(form);
    case spv::Op::OpVectorShuffle:
      return DecodeShuffle(form);
    case spv::Op::OpTranspose:
      return DecodeTranspose(form);
    case spv::Op::OpVectorExtractDynamic:
    case spv::Op::OpVectorInsertDynamic:
      return DecodeDynamic(form);
    case spv::Op::OpCopyObject:
    case spv::Op::OpCopyLogical: {
      if (Status pointer = AliasPointer(form, done); !pointer || *done) return pointer;
      *done = true;
      const Result<uint32_t> row = RowOf(form.inst, OperandId(form, 0));
      if (!row) return row.error();
      return Alias(form, *row);
    }
    case spv::Op::OpUndef:
      return DecodeUndef(form);
    default:
      *done = false;
      return {};
  }
}

// In a block: the op runs each time, and each use may get another value.
Status Decoder::DecodeUndef(const Form& form) {
  Op op = MakeOp(form.inst, MakeUndefined);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &op.result, &type); !status) return status;
  op.count = static_cast<uint32_t>(type->rows);
  Emit(op);
  return {};
}

Status Decoder::Alias(const Form& form, uint32_t row) {
  const Id result = module_.Result(form.inst);
  // Rows that already exist (a phi was decoded before) are filled, and so are rows of audited
  // values, because an audit may overwrite them.
  if (rows_[Index(result)] == 0 && !irrelevant_.contains(result)) {
    rows_[Index(result)] = row + 1;
    return {};
  }
  Op op = MakeOp(form.inst, CopyRows);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &op.result, &type); !status) return status;
  op.a = row;
  op.count = static_cast<uint32_t>(type->rows);
  Emit(op);
  return {};
}

// The first row, counted from that of the composite, of the part that the literals from operand
// `first_index` on select.
Result<uint32_t> Decoder::PlaceIn(const Form& form, Id type, uint32_t first_index, Id* part) {
  uint64_t place = 0;
  for (uint32_t i = first_index; i < form.operands; ++i) {
    const TypeInfo* info = nullptr;
    if (Status status = ValueType(form.inst, type, &info); !status) return status.error();
    const uint32_t index = OperandWord(form, i);
    // A scalar counts as one part, but has no parts to select.
    const bool is_composite = info->element != Id::kNone || !info->places.empty();
    if (!is_composite || index >= info->parts) {
      return Cannot(form.inst, "an index is out of range");
    }
    place += info->element != Id::kNone ? index * info->element_rows : info->places[index];
    type = info->element != Id::kNone ? info->element : info->members[index];
  }
  *part = type;
  return static_cast<uint32_t>(place);
}

Status Decoder::DecodeExtract(const Form& form) {
  const Id composite = OperandId(form, 0);
  const Result<uint32_t> row = RowOf(form.inst, composite);
  if (!row) return row.error();
  Id part = Id::kNone;
  const Result<uint32_t> place = PlaceIn(form, module_.TypeOf(composite), 1, &part);
  if (!place) return place.error();
  return Alias(form, *row + *place);
}

Status Decoder::EmitGather(const Form& form, const std::vector<uint32_t>& rows) {
  Op op = MakeOp(form.inst, GatherMoves);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &op.result, &type); !status) return status;
  if (rows.size() != type->rows) return Cannot(form.inst, "its parts do not match its type");
  op.list = AddWords(rows);
  op.count = static_cast<uint32_t>(rows.size());
  Emit(op);
  return {};
}

Status Decoder::DecodeInsert(const Form& form) {
  const Id object = OperandId(form, 0), composite = OperandId(form, 1);
  const Result<uint32_t> from = RowOf(form.inst, object);
  if (!from) return from.error();
  const Result<uint32_t> base = RowOf(form.inst, composite);
  if (!base) return base.error();
  Id part = Id::kNone;
  const Result<uint32_t> place = PlaceIn(form, module_.TypeOf(composite), 2, &part);
  if (!place) return place.error();
  const TypeInfo* whole = nullptr;
  if (Status status = ValueType(form.inst, module_.TypeOf(composite), &whole); !status) {
    return status;
  }
  const TypeInfo* inserted = nullptr;
  if (Status status = ValueType(form.inst, part, &inserted); !status) return status;
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < whole->rows; ++i) {
    const bool inside = i >= *place && i < *place + inserted->rows;
    rows.push_back(inside ? *from + i - *place : *base + i);
  }
  return EmitGather(form, rows);
}

Status Decoder::DecodeConstruct(const Form& form) {
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < form.operands; ++i) {
    const Result<uint32_t> row = RowOf(form.inst, OperandId(form, i));
    if (!row) return row.error();
    const Result<const TypeInfo*> type = OperandType(form, i);
    if (!type) return type.error();
    for (uint32_t r = 0; r < (*type)->rows; ++r) rows.push_back(*row + r);
  }
  return EmitGather(form, rows);
}

uint32_t Decoder::UndefinedRow() {
  if (undefined_row_ == UINT32_MAX) {
    undefined_row_ = NewRows(1);
    SetConstant(undefined_row_, 0, kUndefinedBit);
  }
  return undefined_row_;
}

Status Decoder::DecodeShuffle(const Form& form) {
  const Result<const TypeInfo*> first = OperandType(form, 0);
  if (!first) return first.error();
  const Result<uint32_t> a = RowOf(form.inst, OperandId(form, 0));
  if (!a) return a.error();
  const Result<uint32_t> b = RowOf(form.inst, OperandId(form, 1));
  if (!b) return b.error();
  const Result<const TypeInfo*> second = OperandType(form, 1);
  if (!second) return second.error();
  std::vector<uint32_t> rows;
  const uint32_t each = RowsOf((*first)->scalar);
  for (uint32_t i = 2; i < form.operands; ++i) {
    const uint32_t component = OperandWord(form, i);
    // The validator does not check the operands of OpSpecConstantOp.
    if (component != 0xffffffff && component >= (*first)->parts + (*second)->parts) {
      return Cannot(form.inst, "a component is out of range");
    }
    for (uint32_t r = 0; r < each; ++r) {
      if (component == 0xffffffff) {
        rows.push_back(UndefinedRow());
      } else if (component < (*first)->parts) {
        rows.push_back(*a + component * each + r);
      } else {
        rows.push_back(*b + (component - (*first)->parts) * each + r);
      }
    }
  }
  return EmitGather(form, rows);
}

Status Decoder::DecodeTranspose(const Form& form) {
  const Result<const TypeInfo*> matrix = OperandType(form, 0);
  if (!matrix) return matrix.error();
  const Result<uint32_t> from = RowOf(form.inst, OperandId(form, 0));
  if (!from) return from.error();
  const uint32_t each = RowsOf((*matrix)->scalar);
  const uint32_t in_column = static_cast<uint32_t>((*matrix)->element_rows) / each;
  std::vector<uint32_t> rows;
  for (uint32_t r = 0; r < in_column; ++r) {
    for (uint32_t c = 0; c < (*matrix)->parts; ++c) {
      for (uint32_t i = 0; i < each; ++i) rows.push_back(*from + (c * in_column + r) * each + i);
    }
  }
  return EmitGather(form, rows);
}

Status Decoder::DecodeDynamic(const Form& form) {
  const bool inserts = form.opcode == spv::Op::OpVectorInsertDynamic;
  const Result<const TypeInfo*> vector = OperandType(form, 0);
  if (!vector) return vector.error();
  const Result<const TypeInfo*> index = OperandType(form, inserts ? 2 : 1);
  if (!index) return index.error();
  if (Status status = EmitPlain(form, inserts ? InsertDynamic : ExtractDynamic); !status) {
    return status;
  }
  if (ops_->back().run == RelaxIntegers) ops_->pop_back();
  Op& op = ops_->back();
  op.d = (*vector)->parts;
  op.list = static_cast<uint32_t>((*index)->scalar);
  return {};
}

}  // namespace interp
}  // namespace refract
