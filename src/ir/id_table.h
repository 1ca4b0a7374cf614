// SPDX-License-Identifier: Apache-2.0
// Which SPIR-V id a name was given. Bound once, by the full recording, and kept in it: what
// survives in a subset of the steps has the same id there.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/name.h"

namespace refract::inline ir {

class IdTable {
 public:
  IdTable() = default;
  /// Entries in any order; a name twice keeps the first.
  explicit IdTable(std::vector<std::pair<Name, uint32_t>> entries);
  /// 0 if the table does not know it.
  uint32_t Find(Name name) const;
  uint32_t largest() const { return largest_; }
  /// Sorted by name.
  const std::vector<std::pair<Name, uint32_t>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<Name, uint32_t>> entries_;
  uint32_t largest_ = 0;
};

}  // namespace refract::inline ir
