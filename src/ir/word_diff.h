// SPDX-License-Identifier: Apache-2.0
// Measures how much a variant differs from its original.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace refract {
inline namespace ir {

/// The counts of DisassemblyDiff (ir/tools.h), computed from words in a fraction of the time. The
/// counts are equal if an id has the same meaning in both modules, as in an original and its
/// variants.
struct WordDiff {
  size_t added = 0;    ///< instructions only in b
  size_t removed = 0;  ///< instructions only in a
  /// The number of "instructions of difference", as in InstructionDiff::count.
  size_t count() const { return added > removed ? added : removed; }
};
WordDiff DiffWords(std::span<const uint32_t> a, std::span<const uint32_t> b);

}  // namespace ir
}  // namespace refract
