// SPDX-License-Identifier: Apache-2.0
// Allocates rows, and knows the rows of ids. Private to this library.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "interp/code.h"
#include "ir/module.h"

namespace refract {
inline namespace interp {

/// The largest number of rows of a value. Larger objects can only stay in memory.
constexpr uint64_t kMaxValueRows = 1u << 14;
/// The largest number of rows of a variable. Larger variables have sparse rows.
constexpr uint64_t kMaxVariableRows = 1u << 16;

class RowTable {
 public:
  RowTable(const Module& module, Program::Code& code) : code_(code), rows_(module.id_slots()) {}

  /// Returns the first of `count` new rows.
  uint32_t Allocate(uint64_t count);
  bool Has(Id id) const { return rows_[Index(id)] != 0; }
  /// The first row of an id that has rows.
  uint32_t At(Id id) const { return rows_[Index(id)] - 1; }
  void Set(Id id, uint32_t row) { rows_[Index(id)] = row + 1; }
  /// The first row of an id. If the id has no rows, it gets `count` new ones.
  uint32_t AtOrAllocate(Id id, uint64_t count);

  /// The id must not have the rows of another one.
  void KeepSeparate(Id id) { separate_.insert(id); }
  /// True if the id can get the rows of another one: it has no rows yet and need not be separate.
  bool CanShare(Id id) const { return !Has(id) && !separate_.contains(id); }

 private:
  Program::Code& code_;
  std::vector<uint32_t> rows_;  // by id: first row + 1; 0: none yet
  std::set<Id> separate_;
};

}  // namespace interp
}  // namespace refract
