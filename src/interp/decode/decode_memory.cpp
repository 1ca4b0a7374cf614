// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "interp/decode/decode.h"
#include "interp/memory.h"
#include "interp/ops/ops_memory.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {

Status Decoder::DecodeMemory(const Form& form, bool* done) {
  *done = true;
  switch (form.opcode) {
    case spv::Op::OpLoad:
      return DecodeLoad(form);
    case spv::Op::OpStore:
      return DecodeStore(form);
    case spv::Op::OpCopyMemory:
      return DecodeCopyMemory(form);
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      return DecodeAccessChain(form, 1);
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
      return DecodeAccessChain(form, 2);
    case spv::Op::OpArrayLength:
      return DecodeArrayLength(form);
    default:
      *done = false;
      return {};
  }
}

Result<PointerInfo> Decoder::PointerOf(Inst user, Id pointer) {
  const auto found = pointers_.find(pointer);
  if (found != pointers_.end()) return found->second;
  if (const auto without = without_memory_.find(pointer); without != without_memory_.end()) {
    return Cannot(module_.Definition(pointer), without->second);
  }
  const Id type = module_.TypeOf(pointer);
  if (TypeOpcode(module_, type) != spv::Op::OpTypePointer) {
    return Cannot(user, "the operand is not a pointer");
  }
  // A computed pointer: its rows hold the address.
  PointerInfo info;
  info.storage = StorageClassOf(module_, type);
  info.pointee = ElementType(module_, type);
  info.shared = IsShared(info.storage);
  if (rows_[Index(pointer)] == 0) rows_[Index(pointer)] = NewRows(info.shared ? 2 : 1) + 1;
  info.row = rows_[Index(pointer)] - 1;
  pointers_[pointer] = info;
  return info;
}

// The rows of the pointer as a value.
Result<uint32_t> Decoder::PointerRows(Inst user, Id pointer) {
  const Result<PointerInfo> info = PointerOf(user, pointer);
  if (!info) return info.error();
  const spv::Op pointee = TypeOpcode(module_, info->pointee);
  if (info->matrix.stride != 0 && (pointee == spv::Op::OpTypeMatrix || info->matrix.row_major)) {
    return Cannot(user, "a pointer to a matrix with a layout cannot be a value");
  }
  if (!info->fixed) return info->row;
  if (info->storage == spv::StorageClass::UniformConstant) {
    if (Status status = CheckResource(user, *info); !status) return status.error();
  }
  if (!info->shared) return ConstantWord(info->place);
  const uint32_t row = NewRows(2);
  SetConstant(row, info->object);
  SetConstant(row + 1, info->place);
  rows_[Index(pointer)] = row + 1;
  return row;
}

Op Decoder::PointerOp(Inst inst, Handler handler, const PointerInfo& pointer) {
  Op op = MakeOp(inst, handler);
  if (pointer.fixed) {
    op.flags |= kFixedPointer;
    op.a = pointer.shared ? pointer.object : pointer.place;
    op.b = pointer.place;
  } else {
    op.a = pointer.row;
    op.b = pointer.row + 1;
  }
  return op;
}

Status Decoder::AliasPointer(const Form& form, bool* done) {
  *done = false;
  const Id source = OperandId(form, 0);
  if (TypeOpcode(module_, module_.TypeOf(source)) != spv::Op::OpTypePointer) return {};
  *done = true;
  const Result<PointerInfo> pointer = PointerOf(form.inst, source);
  if (!pointer) return pointer.error();
  const Id result = module_.Result(form.inst);
  if (rows_[Index(result)] == 0) {
    pointers_[result] = *pointer;
    return {};
  }
  const Result<uint32_t> from = PointerRows(form.inst, source);
  if (!from) return from.error();
  return Alias(form, *from);
}

Status Decoder::EmitLoad(Inst inst, const PointerInfo& pointer, uint32_t row) {
  const TypeInfo* type = nullptr;
  if (Status status = ValueType(inst, pointer.pointee, &type); !status) return status;
  Op op;
  if (pointer.shared) {
    std::vector<MemoryScalar> scalars;
    Status laid_out = LayOut(inst, pointer.pointee, 0, pointer.matrix, &scalars);
    if (!laid_out) return laid_out;
    op = PointerOp(inst, LoadShared, pointer);
    op.list = static_cast<uint32_t>(code_->scalars.size());
    op.count = static_cast<uint32_t>(scalars.size());
    code_->scalars.insert(code_->scalars.end(), scalars.begin(), scalars.end());
  } else {
    const bool plain = pointer.fixed && pointer.place < kFirstSparseRow;
    op = MakeOp(inst, plain ? CopyRows : LoadRows);
    op.a = plain ? pointer.place : pointer.fixed ? ConstantWord(pointer.place) : pointer.row;
    op.count = static_cast<uint32_t>(type->rows);
  }
  op.result = row;
  Emit(op);
  return {};
}

Status Decoder::EmitStore(Inst inst, const PointerInfo& pointer, uint32_t row) {
  const TypeInfo* type = nullptr;
  if (Status status = ValueType(inst, pointer.pointee, &type); !status) return status;
  Op op;
  if (pointer.shared) {
    std::vector<MemoryScalar> scalars;
    Status laid_out = LayOut(inst, pointer.pointee, 0, pointer.matrix, &scalars);
    if (!laid_out) return laid_out;
    op = PointerOp(inst, StoreShared, pointer);
    op.list = static_cast<uint32_t>(code_->scalars.size());
    op.count = static_cast<uint32_t>(scalars.size());
    op.c = row;
    code_->scalars.insert(code_->scalars.end(), scalars.begin(), scalars.end());
  } else if (pointer.fixed && pointer.place < kFirstSparseRow) {
    op = MakeOp(inst, CopyRows);
    op.result = pointer.place;
    op.a = row;
    op.count = static_cast<uint32_t>(type->rows);
  } else {
    op = MakeOp(inst, StoreRows);
    op.a = pointer.fixed ? ConstantWord(pointer.place) : pointer.row;
    op.c = row;
    op.count = static_cast<uint32_t>(type->rows);
  }
  Emit(op);
  return {};
}

Status Decoder::DecodeLoad(const Form& form) {
  const Result<PointerInfo> pointer = PointerOf(form.inst, OperandId(form, 0));
  if (!pointer) return pointer.error();
  if (pointer->storage == spv::StorageClass::UniformConstant) return LoadResource(form, *pointer);
  uint32_t row = 0;
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &row, &type); !status) return status;
  return EmitLoad(form.inst, *pointer, row);
}

Status Decoder::DecodeStore(const Form& form) {
  const Result<PointerInfo> pointer = PointerOf(form.inst, OperandId(form, 0));
  if (!pointer) return pointer.error();
  const Result<uint32_t> row = RowOf(form.inst, OperandId(form, 1));
  if (!row) return row.error();
  return EmitStore(form.inst, *pointer, *row);
}

Status Decoder::DecodeCopyMemory(const Form& form) {
  const Result<PointerInfo> to = PointerOf(form.inst, OperandId(form, 0));
  if (!to) return to.error();
  const Result<PointerInfo> from = PointerOf(form.inst, OperandId(form, 1));
  if (!from) return from.error();
  const TypeInfo* type = nullptr;
  if (Status status = ValueType(form.inst, from->pointee, &type); !status) return status;
  const uint32_t row = NewRows(type->rows);
  if (Status status = EmitLoad(form.inst, *from, row); !status) return status;
  return EmitStore(form.inst, *to, row);
}

// The address that indices add to a pointer: known at decode time, or words for AccessRows and
// AccessShared.
struct Decoder::Chain {
  uint64_t place = 0;           // in rows or bytes
  std::vector<uint32_t> words;  // 6 for each index that is not known
  MatrixPlace matrix;
  Id type = Id::kNone;
};

Status Decoder::AddIndex(const Form& form, Id index, uint64_t stride, uint32_t bound,
                         Chain* chain) {
  const TypeInfo* type = nullptr;
  if (Status status = TypeOf(module_.TypeOf(index), &type); !status) return status;
  const std::optional<uint64_t> known = ConstantBits(index);
  if (known && *known < bound && bound != kRuntimeBound && chain->place < (uint64_t{1} << 31)) {
    chain->place += *known * stride;
    return {};
  }
  const Result<uint32_t> row = RowOf(form.inst, index);
  if (!row) return row.error();
  if (stride > UINT32_MAX) return Cannot(form.inst, "its type is too large");
  const uint32_t word = static_cast<uint32_t>(stride);
  for (const uint32_t w :
       {*row, static_cast<uint32_t>(type->scalar), static_cast<uint32_t>(type->is_signed), word,
        bound, static_cast<uint32_t>(chain->place)}) {
    chain->words.push_back(w);
  }
  return {};
}

Status Decoder::Step(const Form& form, Id index, bool shared, Chain* chain) {
  const TypeInfo* info = nullptr;
  if (Status status = TypeOf(chain->type, &info); !status) return status;
  if (info->opcode == spv::Op::OpTypeStruct) {
    const std::optional<uint64_t> member = ConstantBits(index);
    if (!member || *member >= info->parts) {
      return Cannot(form.inst, "the struct has no such member");
    }
    const uint32_t number = static_cast<uint32_t>(*member);
    const uint64_t rows = info->places[number];
    chain->place += shared ? OffsetOf(chain->type, number, 4 * rows) : rows;
    chain->matrix = MemberMatrix(chain->type, number);
    chain->type = info->members[number];
    return {};
  }
  uint64_t stride = info->element_rows;
  if (shared) {
    const Result<uint32_t> bytes = StrideIn(chain->type, chain->matrix);
    if (!bytes) return bytes.error();
    stride = *bytes;
  }
  const uint32_t bound = info->opcode == spv::Op::OpTypeRuntimeArray ? kRuntimeBound : info->parts;
  if (Status status = AddIndex(form, index, stride, bound, chain); !status) return status;
  // A component of a vector, also of a row of a matrix, is a scalar and has no stride.
  if (info->opcode == spv::Op::OpTypeVector) chain->matrix = {};
  chain->type = info->element;
  return {};
}

Status Decoder::DecodeAccessChain(const Form& form, uint32_t first) {
  const Result<PointerInfo> base = PointerOf(form.inst, OperandId(form, 0));
  if (!base) return base.error();
  if (base->storage == spv::StorageClass::UniformConstant) {
    return Cannot(form.inst, "arrays of images are not supported");
  }
  Chain chain;
  chain.type = base->pointee;
  chain.matrix = base->matrix;
  if (first == 2) {
    const Inst stride =
        FindDecoration(module_, module_.TypeOf(OperandId(form, 0)), spv::Decoration::ArrayStride);
    if (stride == Inst::kNone) return Cannot(form.inst, "its pointer type has no ArrayStride");
    // The index may lead anywhere in the object: the access itself checks its range.
    Status status = AddIndex(form, OperandId(form, 1), module_.Word(stride, 2), 0x7fffffff, &chain);
    if (!status) return status;
  }
  for (uint32_t i = first; i < form.operands; ++i) {
    if (Status status = Step(form, OperandId(form, i), base->shared, &chain); !status) {
      return status;
    }
  }
  const Id result = module_.Result(form.inst);
  PointerInfo pointer = *base;
  pointer.pointee = chain.type;
  pointer.matrix = chain.matrix;
  const bool made = rows_[Index(result)] != 0;
  if (chain.words.empty() && base->fixed && !made && base->place + chain.place < UINT32_MAX) {
    pointer.place += static_cast<uint32_t>(chain.place);
    pointers_[result] = pointer;
    return {};
  }
  if (!made) rows_[Index(result)] = NewRows(base->shared ? 2 : 1) + 1;
  pointer.fixed = false;
  pointer.row = rows_[Index(result)] - 1;
  pointers_[result] = pointer;
  Op op = PointerOp(form.inst, base->shared ? AccessShared : AccessRows, *base);
  op.result = pointer.row;
  op.d = static_cast<uint32_t>(chain.place);
  chain.words.insert(chain.words.begin(), static_cast<uint32_t>(chain.words.size() / 6));
  op.list = AddWords(chain.words);
  Emit(op);
  return {};
}

Status Decoder::DecodeArrayLength(const Form& form) {
  const Result<PointerInfo> pointer = PointerOf(form.inst, OperandId(form, 0));
  if (!pointer) return pointer.error();
  const TypeInfo* block = nullptr;
  if (Status status = TypeOf(pointer->pointee, &block); !status) return status;
  const uint32_t member = OperandWord(form, 1);
  if (member >= block->parts) return Cannot(form.inst, "the struct has no such member");
  const Result<uint32_t> stride = StrideIn(block->members[member], {});
  if (!stride) return stride.error();
  if (*stride == 0) return Cannot(form.inst, "its elements have no size");
  Op op = PointerOp(form.inst, ArrayLength, *pointer);
  const TypeInfo* type = nullptr;
  if (Status status = ResultRows(form, &op.result, &type); !status) return status;
  op.c = OffsetOf(pointer->pointee, member, 4 * block->places[member]);
  op.d = *stride;
  Emit(op);
  return {};
}

}  // namespace interp
}  // namespace refract
