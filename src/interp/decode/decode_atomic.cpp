// SPDX-License-Identifier: Apache-2.0
// Atomics of shaders (SPIR-V 3.49.18): on storage buffers, workgroup variables and image texels.
//
// Scope and memory semantics are ignored: each atomic is one step of one invocation, in the order
// of the schedule. Data that is published by release and acquire atomics, without a barrier, is
// reported as a race.
#include "interp/decode/opcode_table.h"
#include "interp/ops/ops_memory.h"

namespace refract {
inline namespace interp {
namespace {

constexpr uint32_t kNoOperand = 0xffffffffu;

// The operands that are the value and the comparator follow the pointer, scope and semantics.
template <uint32_t kValue, uint32_t kComparator = kNoOperand>
Status DecodeAtomic(Decoder& decoder, const Operation& operation) {
  const Result<PointerInfo> pointer = decoder.pointers.Of(operation.inst, operation.IdAt(0));
  if (!pointer) return pointer.error();
  const bool texel = pointer->storage == spv::StorageClass::Image;
  if (!texel && !pointer->shared) {
    return decoder.Cannot(
        operation.inst,
        "atomic instructions are supported only on memory that other invocations can access");
  }
  const TypeInfo* type = nullptr;
  if (Status status = decoder.types.ValueType(operation.inst, pointer->pointee, &type); !status) {
    return status;
  }
  const uint32_t width = WidthOf(type->scalar);
  if (type->scalar == Scalar::kPointer || type->scalar == Scalar::kAddress || width < 32) {
    return decoder.Cannot(operation.inst,
                          "atomic instructions are supported only on 32-bit and 64-bit numbers");
  }
  decoder.writer.CheckDescriptor(operation, 0, *pointer);
  Op op = decoder.writer.MakePointerOp(operation.inst, RunAtomic, *pointer);
  op.list = static_cast<uint32_t>(operation.opcode);
  op.scalar = type->scalar;
  if (texel) op.flags |= kTexelPointer;
  if constexpr (kValue != kNoOperand) {
    // OpAtomicStore has no result, so its value is at the same operand index.
    const Result<uint32_t> value = decoder.writer.OperandRow(operation, kValue);
    if (!value) return value.error();
    op.c = *value;
  }
  if constexpr (kComparator != kNoOperand) {
    const Result<uint32_t> comparator = decoder.writer.OperandRow(operation, kComparator);
    if (!comparator) return comparator.error();
    op.d = *comparator;
  }
  if (operation.opcode != spv::Op::OpAtomicStore) {
    const TypeInfo* result = nullptr;
    if (Status status = decoder.writer.ResultRows(operation, &op.result, &result); !status) {
      return status;
    }
  }
  decoder.writer.Emit(op);
  return {};
}

}  // namespace

std::span<const OpcodeRow> AtomicOpcodes() {
  using enum spv::Op;
  static constexpr OpcodeRow kRows[] = {
      {OpAtomicLoad, DecodeAtomic<kNoOperand>},
      {OpAtomicIIncrement, DecodeAtomic<kNoOperand>},
      {OpAtomicIDecrement, DecodeAtomic<kNoOperand>},
      {OpAtomicCompareExchange, DecodeAtomic<4, 5>},  // it has two semantics operands
      {OpAtomicStore, DecodeAtomic<3>},
      {OpAtomicExchange, DecodeAtomic<3>},
      {OpAtomicIAdd, DecodeAtomic<3>},
      {OpAtomicISub, DecodeAtomic<3>},
      {OpAtomicSMin, DecodeAtomic<3>},
      {OpAtomicUMin, DecodeAtomic<3>},
      {OpAtomicSMax, DecodeAtomic<3>},
      {OpAtomicUMax, DecodeAtomic<3>},
      {OpAtomicAnd, DecodeAtomic<3>},
      {OpAtomicOr, DecodeAtomic<3>},
      {OpAtomicXor, DecodeAtomic<3>},
      {OpAtomicFAddEXT, DecodeAtomic<3>},
      {OpAtomicFMinEXT, DecodeAtomic<3>},
      {OpAtomicFMaxEXT, DecodeAtomic<3>},
  };
  return kRows;
}

}  // namespace interp
}  // namespace refract
