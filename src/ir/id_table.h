// SPDX-License-Identifier: Apache-2.0
// The SPIR-V ids of names. The full recording determines and stores them, so an instruction that
// remains in a subset of the steps has the same id there.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/name.h"

namespace refract {
inline namespace ir {

class IdTable {
 public:
  IdTable() = default;
  /// Entries may be in any order. If a name occurs twice, the first entry counts.
  explicit IdTable(std::vector<std::pair<Name, uint32_t>> entries);
  /// The id of a name; 0 if the table does not have it.
  uint32_t Find(Name name) const;
  uint32_t largest() const { return largest_; }
  /// All entries, sorted by name.
  const std::vector<std::pair<Name, uint32_t>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<Name, uint32_t>> entries_;
  uint32_t largest_ = 0;
};

}  // namespace ir
}  // namespace refract
