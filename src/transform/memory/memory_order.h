// SPDX-License-Identifier: Apache-2.0
// The operands of atomics and barriers that define their memory order: a scope, and semantics
// (SPIR-V 3.25).
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace refract {
inline namespace transform {

/// Bits of memory semantics.
struct MemoryOrder {
  static constexpr uint32_t kAcquire = 0x2, kRelease = 0x4, kAcquireRelease = 0x8;
  static constexpr uint32_t kOrders = 0x1e;  ///< these, and SequentiallyConsistent
  static constexpr uint32_t kMakeAvailable = 0x2000, kMakeVisible = 0x4000;
};

/// The operands of an instruction that define its memory order; kNone for those that it does not
/// have.
struct MemoryOrderOperands {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t scope = kNone, semantics = kNone, unequal = kNone;
  bool may_acquire = true, may_release = true;
};

/// All operands are kNone if the opcode is not that of a barrier or of an atomic on ints.
MemoryOrderOperands MemoryOrderOperandsOf(spv::Op opcode);

/// The orders that an order includes, as bits.
uint32_t ImpliedOrder(uint32_t order);

}  // namespace transform
}  // namespace refract
