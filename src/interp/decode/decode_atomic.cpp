// SPDX-License-Identifier: Apache-2.0
// Atomics of shaders (SPIR-V 3.49.18): on storage buffers, workgroup variables and image texels.
//
// Scope and memory semantics are ignored: each atomic is one step of one invocation, in the order
// of the schedule. Data that is published by release and acquire atomics, without a barrier, is
// reported as a race.
#include "interp/decode/decode.h"
#include "interp/ops/ops_memory.h"

namespace refract {
inline namespace interp {
namespace {

constexpr uint32_t kNoOperand = 0xffffffffu;

// The operands of an atomic that are its value and its comparator, after the pointer, scope and
// semantics.
struct AtomicForm {
  uint32_t value = kNoOperand, comparator = kNoOperand;
};

bool FindAtomic(spv::Op opcode, AtomicForm* form) {
  switch (opcode) {
    case spv::Op::OpAtomicLoad:
    case spv::Op::OpAtomicIIncrement:
    case spv::Op::OpAtomicIDecrement:
      return true;
    case spv::Op::OpAtomicCompareExchange:  // it has two semantics operands
      form->value = 4;
      form->comparator = 5;
      return true;
    case spv::Op::OpAtomicStore:
    case spv::Op::OpAtomicExchange:
    case spv::Op::OpAtomicIAdd:
    case spv::Op::OpAtomicISub:
    case spv::Op::OpAtomicSMin:
    case spv::Op::OpAtomicUMin:
    case spv::Op::OpAtomicSMax:
    case spv::Op::OpAtomicUMax:
    case spv::Op::OpAtomicAnd:
    case spv::Op::OpAtomicOr:
    case spv::Op::OpAtomicXor:
    case spv::Op::OpAtomicFAddEXT:
    case spv::Op::OpAtomicFMinEXT:
    case spv::Op::OpAtomicFMaxEXT:
      form->value = 3;
      return true;
    default:
      return false;
  }
}

}  // namespace

Status Decoder::DecodeAtomic(const Form& form, bool* done) {
  AtomicForm operands;
  *done = FindAtomic(form.opcode, &operands);
  if (!*done) return {};
  const Result<PointerInfo> pointer = PointerOf(form.inst, OperandId(form, 0));
  if (!pointer) return pointer.error();
  const bool texel = pointer->storage == spv::StorageClass::Image;
  if (!texel && !pointer->shared) {
    return Cannot(form.inst, "atomics are supported only on shared memory");
  }
  const TypeInfo* type = nullptr;
  if (Status status = ValueType(form.inst, pointer->pointee, &type); !status) return status;
  const uint32_t width = WidthOf(type->scalar);
  if (type->scalar == Scalar::kPointer || width < 32) {
    return Cannot(form.inst, "atomics are supported only on numbers of 32 or 64 bits");
  }
  Op op = PointerOp(form.inst, RunAtomic, *pointer);
  op.list = static_cast<uint32_t>(form.opcode);
  op.scalar = type->scalar;
  if (texel) op.flags |= kTexelPointer;
  if (operands.value != kNoOperand) {
    // OpAtomicStore has no result, so its value is at the same operand index.
    const Result<uint32_t> value = RowOf(form.inst, OperandId(form, operands.value));
    if (!value) return value.error();
    op.c = *value;
  }
  if (operands.comparator != kNoOperand) {
    const Result<uint32_t> comparator = RowOf(form.inst, OperandId(form, operands.comparator));
    if (!comparator) return comparator.error();
    op.d = *comparator;
  }
  if (form.opcode != spv::Op::OpAtomicStore) {
    const TypeInfo* result = nullptr;
    if (Status status = ResultRows(form, &op.result, &result); !status) return status;
  }
  Emit(op);
  return {};
}

}  // namespace interp
}  // namespace refract
