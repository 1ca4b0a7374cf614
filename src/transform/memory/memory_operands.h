// SPDX-License-Identifier: Apache-2.0
// The memory operands of loads, stores and copies (SPIR-V 3.26): a mask, and what its bits take.
#pragma once

#include <optional>

#include "ir/module.h"

namespace refract::inline transform {

struct MemoryOperands {
  static constexpr uint32_t kVolatile = 0x1, kAligned = 0x2, kNontemporal = 0x4;
  static constexpr uint32_t kMakeAvailable = 0x8, kMakeVisible = 0x10, kNonPrivate = 0x20;
  static constexpr uint32_t kKnown = 0x3f;
  uint32_t mask = 0;
  uint32_t alignment = 0;                         ///< of kAligned
  Id available = Id::kNone, visible = Id::kNone;  ///< scopes
  friend bool operator==(const MemoryOperands&, const MemoryOperands&) = default;
};

/// All of an OpLoad, OpStore or OpCopyMemory; a copy may have two, of what it writes and what it
/// reads: with one they are equal.
struct AllMemoryOperands {
  uint32_t first_operand = 0;  ///< where they begin, or would
  uint32_t count = 0;          ///< how many there are: 0, 1 or 2
  MemoryOperands first, second;
};
/// Nullopt of other instructions, and where a bit is not known.
std::optional<AllMemoryOperands> MemoryOperandsOf(const Module& module, Inst inst);
/// The same of a copy as two masks: what it writes is made available, what it reads visible.
AllMemoryOperands AsTwo(AllMemoryOperands all);
/// As operands of an instruction; none if there is nothing to say and they need not be there.
void Append(const MemoryOperands& operands, bool always, Args* args);

/// Whether the access says no more than how it is aligned and cached.
bool IsPlainAccess(const Module& module, Inst inst);

}  // namespace refract::inline transform
