// SPDX-License-Identifier: Apache-2.0
// How much a variant differs from its original, without reading either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace refract::inline ir {

/// What DisassemblyDiff counts (ir/tools.h), by comparing words: a fraction of the time. The same
/// where an id of both modules stands for the same, as in an original and its variants.
struct WordDiff {
  size_t added = 0;    ///< instructions only in b
  size_t removed = 0;  ///< instructions only in a
  /// "Instructions of difference", as InstructionDiff::count.
  size_t count() const { return added > removed ? added : removed; }
};
WordDiff DiffWords(std::span<const uint32_t> a, std::span<const uint32_t> b);

}  // namespace refract::inline ir
