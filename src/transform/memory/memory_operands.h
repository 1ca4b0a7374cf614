// SPDX-License-Identifier: Apache-2.0
// The memory operands of loads, stores and copies (SPIR-V 3.26): a mask, and the operands of its
// bits.
#pragma once

#include <optional>

#include "ir/module.h"

namespace refract {
inline namespace transform {

struct MemoryOperands {
  static constexpr uint32_t kVolatile = 0x1, kAligned = 0x2, kNontemporal = 0x4;
  static constexpr uint32_t kMakeAvailable = 0x8, kMakeVisible = 0x10, kNonPrivate = 0x20;
  static constexpr uint32_t kKnown = 0x3f;
  uint32_t mask = 0;
  uint32_t alignment = 0;                         ///< operand of kAligned
  Id available = Id::kNone, visible = Id::kNone;  ///< scopes of kMakeAvailable and kMakeVisible
  friend bool operator==(const MemoryOperands&, const MemoryOperands&) = default;
};

/// All memory operands of an OpLoad, OpStore or OpCopyMemory. A copy may have two sets, for its
/// target and its source; with one set, `second` is equal to `first`.
struct AllMemoryOperands {
  uint32_t first_operand = 0;  ///< index of the first of them, present or not
  uint32_t count = 0;          ///< how many sets there are: 0, 1 or 2
  MemoryOperands first, second;
};
/// Nullopt for other instructions, and if a bit of the mask is unknown.
std::optional<AllMemoryOperands> MemoryOperandsOf(const Module& module, Inst inst);
/// Converts the operands of a copy to two sets: MakeAvailable applies to the target, MakeVisible to
/// the source.
AllMemoryOperands AsTwo(AllMemoryOperands all);
/// Appends them as operands of an instruction. An empty mask is left out unless `always` is true.
void Append(const MemoryOperands& operands, bool always, Args* args);

/// True if the access has no memory operands except Aligned and Nontemporal.
bool IsPlainAccess(const Module& module, Inst inst);

}  // namespace transform
}  // namespace refract
