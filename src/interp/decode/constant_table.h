// SPDX-License-Identifier: Apache-2.0
// The rows of constants, with their values at decode time. Private to this library.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "interp/decode/row_table.h"
#include "interp/machine.h"

namespace refract {
inline namespace interp {

class ConstantTable {
 public:
  ConstantTable(const Module& module, Program::Code& code, RowTable& rows)
      : module_(module), code_(code), rows_(rows) {}

  /// Sets the word of a row for all invocations.
  void Set(uint32_t row, uint32_t word, uint32_t shadow = 0);
  /// Sets `count` rows from `to` on to the words of the rows from `from` on.
  void Copy(uint32_t to, uint32_t from, uint32_t count);
  /// A row with this word.
  uint32_t RowOfWord(uint32_t word);
  /// A row that is undefined.
  uint32_t UndefinedRow();

  /// True if the id is a constant that has been decoded.
  bool IsDecoded(Id id) const;
  /// The bits of a decoded constant of type `scalar`; nullopt if it is not exact.
  std::optional<uint64_t> ValueOf(Id constant, Scalar scalar);
  /// A machine whose rows hold the constants that have been decoded.
  Machine& machine();

  /// Nulls with more than kMaxValueRows rows have no rows. They can only initialise variables.
  void AddLargeNull(Id constant) { large_nulls_.insert(constant); }
  bool IsLargeNull(Id constant) const { return large_nulls_.contains(constant); }

 private:
  const Module& module_;
  Program::Code& code_;
  RowTable& rows_;
  std::map<uint32_t, uint32_t> rows_of_words_;
  std::optional<uint32_t> undefined_row_;
  std::set<Id> large_nulls_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace interp
}  // namespace refract
