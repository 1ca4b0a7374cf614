// SPDX-License-Identifier: Apache-2.0
// Loads, stores and access chains.
#include "input/layout.h"
#include "interp/decode/opcode_table.h"
#include "interp/ops/ops.h"
#include "interp/ops/ops_address.h"
#include "interp/ops/ops_memory.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {
namespace {

// Images and samplers.
Status LoadImage(Decoder& decoder, const Operation& operation, const PointerInfo& pointer) {
  if (pointer.fixed) {
    if (Status status = decoder.pointers.CheckImage(operation.inst, pointer); !status) {
      return status;
    }
  }
  Op op = decoder.writer.MakeOp(operation.inst, GatherMoves);
  const TypeInfo* type = nullptr;
  if (Status status = decoder.writer.ResultRows(operation, &op.result, &type); !status) {
    return status;
  }
  const uint32_t row = pointer.fixed ? decoder.constants.RowOfWord(pointer.address) : pointer.row;
  op.count = static_cast<uint32_t>(type->rows);  // for sampled images, both rows are the same
  op.list = decoder.writer.AddWords(std::vector<uint32_t>(type->rows, row));
  decoder.writer.Emit(op);
  return {};
}

// The number of operands that a mask of memory operands has, with the mask.
uint32_t MemoryOperandCount(const Operation& operation, uint32_t index) {
  if (index >= operation.operand_count) return 0;
  const auto has = [&](spv::MemoryAccessMask bit) {
    return (operation.WordAt(index) & static_cast<uint32_t>(bit)) != 0 ? 1u : 0u;
  };
  return 1 + has(spv::MemoryAccessMask::Aligned) +
         has(spv::MemoryAccessMask::MakePointerAvailable) +
         has(spv::MemoryAccessMask::MakePointerVisible);
}

// Requires the alignment that the memory operands at `index` give an address. Other pointers are
// aligned by the layout of their blocks.
void CheckAlignment(Decoder& decoder, const Operation& operation, uint32_t index,
                    const PointerInfo& pointer) {
  if (pointer.storage != spv::StorageClass::PhysicalStorageBuffer ||
      index + 1 >= operation.operand_count) {
    return;
  }
  constexpr auto kAligned = static_cast<uint32_t>(spv::MemoryAccessMask::Aligned);
  if ((operation.WordAt(index) & kAligned) == 0) return;
  Op op = decoder.writer.MakePointerOp(operation.inst, RequireAligned, pointer);
  op.c = operation.WordAt(index + 1);
  decoder.writer.Emit(op);
}

Status DecodeLoad(Decoder& decoder, const Operation& operation) {
  const Result<PointerInfo> pointer = decoder.pointers.Of(operation.inst, operation.IdAt(0));
  if (!pointer) return pointer.error();
  if (pointer->storage == spv::StorageClass::UniformConstant) {
    return LoadImage(decoder, operation, *pointer);
  }
  decoder.writer.CheckDescriptor(operation, 0, *pointer);
  CheckAlignment(decoder, operation, 1, *pointer);
  uint32_t row = 0;
  const TypeInfo* type = nullptr;
  if (Status status = decoder.writer.ResultRows(operation, &row, &type); !status) return status;
  return decoder.writer.EmitLoad(operation.inst, *pointer, row);
}

Status DecodeStore(Decoder& decoder, const Operation& operation) {
  const Result<PointerInfo> pointer = decoder.pointers.Of(operation.inst, operation.IdAt(0));
  if (!pointer) return pointer.error();
  const Result<uint32_t> row = decoder.writer.OperandRow(operation, 1);
  if (!row) return row.error();
  decoder.writer.CheckDescriptor(operation, 0, *pointer);
  CheckAlignment(decoder, operation, 2, *pointer);
  return decoder.writer.EmitStore(operation.inst, *pointer, *row);
}

Status DecodeCopyMemory(Decoder& decoder, const Operation& operation) {
  const Result<PointerInfo> to = decoder.pointers.Of(operation.inst, operation.IdAt(0));
  if (!to) return to.error();
  const Result<PointerInfo> from = decoder.pointers.Of(operation.inst, operation.IdAt(1));
  if (!from) return from.error();
  const TypeInfo* type = nullptr;
  if (Status status = decoder.types.ValueType(operation.inst, from->pointee, &type); !status) {
    return status;
  }
  const uint32_t row = decoder.rows.Allocate(type->rows);
  decoder.writer.CheckDescriptor(operation, 0, *to);
  decoder.writer.CheckDescriptor(operation, 1, *from);
  // A second mask, if there is one, is for the source.
  const uint32_t second = 2 + MemoryOperandCount(operation, 2);
  CheckAlignment(decoder, operation, second < operation.operand_count ? second : 2, *from);
  CheckAlignment(decoder, operation, 2, *to);
  if (Status status = decoder.writer.EmitLoad(operation.inst, *from, row); !status) return status;
  return decoder.writer.EmitStore(operation.inst, *to, row);
}

// The address that indices add to a pointer: known at decode time, or words for AccessRows and
// AccessShared.
struct Chain {
  uint64_t offset = 0;          // in rows or bytes
  std::vector<uint32_t> words;  // 6 for each index that is not known
  MatrixLayout matrix;
  Id type = Id::kNone;
};

Status AddIndex(Decoder& decoder, const Operation& operation, Id index, uint64_t stride,
                uint32_t bound, Chain* chain) {
  const TypeInfo* type = nullptr;
  if (Status status = decoder.types.TypeOf(decoder.module.TypeOf(index), &type); !status) {
    return status;
  }
  const std::optional<uint64_t> known = decoder.ConstantValue(index);
  if (known && *known < bound && bound != kRuntimeBound && chain->offset < (uint64_t{1} << 31)) {
    chain->offset += *known * stride;
    return {};
  }
  const Result<uint32_t> row = decoder.writer.RowOf(operation.inst, index);
  if (!row) return row.error();
  if (stride > UINT32_MAX) return decoder.Cannot(operation.inst, "its type is too large");
  const uint32_t word = static_cast<uint32_t>(stride);
  for (const uint32_t w :
       {*row, static_cast<uint32_t>(type->scalar), static_cast<uint32_t>(type->is_signed), word,
        bound, static_cast<uint32_t>(chain->offset)}) {
    chain->words.push_back(w);
  }
  return {};
}

Status SelectPart(Decoder& decoder, const Operation& operation, Id index, bool shared,
                  Chain* chain) {
  const TypeInfo* info = nullptr;
  if (Status status = decoder.types.TypeOf(chain->type, &info); !status) return status;
  if (info->opcode == spv::Op::OpTypeStruct) {
    const std::optional<uint64_t> member = decoder.ConstantValue(index);
    if (!member || *member >= info->parts) {
      return decoder.Cannot(operation.inst, "the struct has no member with this index");
    }
    const uint32_t number = static_cast<uint32_t>(*member);
    const uint64_t rows = info->member_rows[number];
    chain->offset += shared ? decoder.layout.OffsetOf(chain->type, number, 4 * rows) : rows;
    chain->matrix = MatrixLayoutOf(decoder.module, chain->type, number);
    chain->type = info->members[number];
    return {};
  }
  uint64_t stride = info->element_rows;
  if (shared) {
    const Result<uint32_t> bytes = decoder.layout.StrideIn(chain->type, chain->matrix);
    if (!bytes) return bytes.error();
    stride = *bytes;
  }
  const uint32_t bound = info->opcode == spv::Op::OpTypeRuntimeArray ? kRuntimeBound : info->parts;
  if (Status status = AddIndex(decoder, operation, index, stride, bound, chain); !status) {
    return status;
  }
  // A component of a vector, also of a row of a matrix, is a scalar and has no stride.
  if (info->opcode == spv::Op::OpTypeVector) chain->matrix = {};
  chain->type = info->element;
  return {};
}

// Makes `*pointer`, which points to an array of descriptors, point to the element that operand 1
// gives. `row` has the address if it is not known.
Status SelectElement(Decoder& decoder, const Operation& operation, uint32_t row,
                     PointerInfo* pointer) {
  const Id index = operation.IdAt(1);
  const Result<uint32_t> count =
      DescriptorCount(decoder.module, pointer->pointee, decoder.code.bindings.constants);
  if (!count) return decoder.Cannot(operation.inst, count.error().message);
  const Id element = ElementType(decoder.module, pointer->pointee);
  const std::optional<uint64_t> known = decoder.ConstantValue(index);
  if (known && *known < *count && pointer->fixed) {
    (pointer->shared ? pointer->object : pointer->address) += static_cast<uint32_t>(*known);
    pointer->pointee = element;
    return {};
  }
  if (pointer->fixed && !pointer->shared) {
    Status status = decoder.pointers.CheckImage(operation.inst, *pointer);
    if (!status) return status;
  }
  const TypeInfo* type = nullptr;
  if (Status status = decoder.types.TypeOf(decoder.module.TypeOf(index), &type); !status) {
    return status;
  }
  const Result<uint32_t> index_row = decoder.writer.RowOf(operation.inst, index);
  if (!index_row) return index_row.error();
  Op op = decoder.writer.MakePointerOp(operation.inst, SelectDescriptor, *pointer);
  if (type->is_signed) op.flags |= kSigned;
  op.result = row;
  op.c = *index_row;
  op.d = *count;
  op.scalar = type->scalar;
  op.count = pointer->shared ? 2 : 1;
  decoder.writer.Emit(op);
  pointer->pointee = element;
  pointer->fixed = false;
  pointer->row = row;
  return {};
}

// `kFirst`: the number of operands before the indices into the type.
template <uint32_t kFirst>
Status DecodeAccessChain(Decoder& decoder, const Operation& operation) {
  const Result<PointerInfo> whole = decoder.pointers.Of(operation.inst, operation.IdAt(0));
  if (!whole) return whole.error();
  const Id result = decoder.module.Result(operation.inst);
  PointerInfo from = *whole;
  uint32_t first = kFirst;
  if (IsDescriptorArray(decoder.module, from) && operation.operand_count > 1) {
    if (kFirst == 2) {
      return decoder.Cannot(operation.inst, "its base points to an array of descriptors");
    }
    const uint32_t rows = from.shared ? 2 : 1;
    const bool is_last = operation.operand_count == 2;
    // Phis may have given the result rows already.
    const uint32_t row =
        is_last ? decoder.rows.AtOrAllocate(result, rows) : decoder.rows.Allocate(rows);
    Status status = SelectElement(decoder, operation, row, &from);
    if (!status) return status;
    ++first;
    if (is_last) {
      decoder.pointers.Set(result, from);
      return {};
    }
  }
  const PointerInfo* const base = &from;
  if (base->storage == spv::StorageClass::UniformConstant && operation.operand_count > first) {
    return decoder.Cannot(operation.inst, "its base does not point to an array");
  }
  Chain chain;
  chain.type = base->pointee;
  chain.matrix = base->matrix;
  if (kFirst == 2) {
    const Inst stride = FindDecoration(decoder.module, decoder.module.TypeOf(operation.IdAt(0)),
                                       spv::Decoration::ArrayStride);
    if (stride == Inst::kNone) {
      return decoder.Cannot(operation.inst, "its pointer type has no ArrayStride decoration");
    }
    // The index may lead anywhere in the object: the access itself checks its range.
    Status status = AddIndex(decoder, operation, operation.IdAt(1), decoder.module.Word(stride, 2),
                             kAnyElement, &chain);
    if (!status) return status;
  }
  for (uint32_t i = first; i < operation.operand_count; ++i) {
    if (Status status = SelectPart(decoder, operation, operation.IdAt(i), base->shared, &chain);
        !status) {
      return status;
    }
  }
  PointerInfo pointer = *base;
  pointer.pointee = chain.type;
  pointer.matrix = chain.matrix;
  const bool has_rows = decoder.rows.Has(result);
  if (chain.words.empty() && base->fixed && !has_rows &&
      base->address + chain.offset < UINT32_MAX) {
    pointer.address += static_cast<uint32_t>(chain.offset);
    decoder.pointers.Set(result, pointer);
    return {};
  }
  pointer.fixed = false;
  pointer.row = decoder.rows.AtOrAllocate(result, base->shared ? 2 : 1);
  decoder.pointers.Set(result, pointer);
  Op op =
      decoder.writer.MakePointerOp(operation.inst, base->shared ? AccessShared : AccessRows, *base);
  op.result = pointer.row;
  op.d = static_cast<uint32_t>(chain.offset);
  chain.words.insert(chain.words.begin(), static_cast<uint32_t>(chain.words.size() / 6));
  op.list = decoder.writer.AddWords(chain.words);
  decoder.writer.Emit(op);
  return {};
}

Status DecodeArrayLength(Decoder& decoder, const Operation& operation) {
  const Result<PointerInfo> pointer = decoder.pointers.Of(operation.inst, operation.IdAt(0));
  if (!pointer) return pointer.error();
  const TypeInfo* block = nullptr;
  if (Status status = decoder.types.TypeOf(pointer->pointee, &block); !status) return status;
  const uint32_t member = operation.WordAt(1);
  if (member >= block->parts) {
    return decoder.Cannot(operation.inst, "the struct has no member with this index");
  }
  const Result<uint32_t> stride = decoder.layout.StrideIn(block->members[member], {});
  if (!stride) return stride.error();
  if (*stride == 0) return decoder.Cannot(operation.inst, "the elements of the array have no size");
  decoder.writer.CheckDescriptor(operation, 0, *pointer);
  Op op = decoder.writer.MakePointerOp(operation.inst, ArrayLength, *pointer);
  const TypeInfo* type = nullptr;
  if (Status status = decoder.writer.ResultRows(operation, &op.result, &type); !status) {
    return status;
  }
  op.c = decoder.layout.OffsetOf(pointer->pointee, member, 4 * block->member_rows[member]);
  op.d = *stride;
  decoder.writer.Emit(op);
  return {};
}

}  // namespace

std::span<const OpcodeRow> MemoryOpcodes() {
  using enum spv::Op;
  static constexpr OpcodeRow kRows[] = {
      {OpLoad, DecodeLoad},
      {OpStore, DecodeStore},
      {OpCopyMemory, DecodeCopyMemory},
      {OpAccessChain, DecodeAccessChain<1>},
      {OpInBoundsAccessChain, DecodeAccessChain<1>},
      {OpPtrAccessChain, DecodeAccessChain<2>},
      {OpInBoundsPtrAccessChain, DecodeAccessChain<2>},
      {OpArrayLength, DecodeArrayLength},
  };
  return kRows;
}

}  // namespace interp
}  // namespace refract
