// SPDX-License-Identifier: Apache-2.0
#include "transform/memory/memory_order.h"

namespace refract {
inline namespace transform {

MemoryOrderOperands MemoryOrderOperandsOf(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpMemoryBarrier:
      return {0, 1};
    case spv::Op::OpControlBarrier:
      return {1, 2};
    case spv::Op::OpAtomicLoad:
      return {1, 2, MemoryOrderOperands::kNone, true, false};
    case spv::Op::OpAtomicStore:
      return {1, 2, MemoryOrderOperands::kNone, false, true};
    case spv::Op::OpAtomicCompareExchange:
      return {1, 2, 3};
    case spv::Op::OpAtomicExchange:
    case spv::Op::OpAtomicIIncrement:
    case spv::Op::OpAtomicIDecrement:
    case spv::Op::OpAtomicIAdd:
    case spv::Op::OpAtomicISub:
    case spv::Op::OpAtomicSMin:
    case spv::Op::OpAtomicUMin:
    case spv::Op::OpAtomicSMax:
    case spv::Op::OpAtomicUMax:
    case spv::Op::OpAtomicAnd:
    case spv::Op::OpAtomicOr:
    case spv::Op::OpAtomicXor:
      return {1, 2};
    default:
      return {};
  }
}

uint32_t ImpliedOrder(uint32_t order) {
  return order == MemoryOrder::kAcquireRelease ? MemoryOrder::kAcquire | MemoryOrder::kRelease
                                               : order;
}

}  // namespace transform
}  // namespace refract
