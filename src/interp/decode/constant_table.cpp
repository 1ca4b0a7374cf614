// SPDX-License-Identifier: Apache-2.0
#include "interp/decode/constant_table.h"

#include "ir/types.h"

namespace refract {
inline namespace interp {

void ConstantTable::Set(uint32_t row, uint32_t word, uint32_t shadow) {
  code_.constants.push_back({row, word, shadow});
}

void ConstantTable::Copy(uint32_t to, uint32_t from, uint32_t count) {
  Machine& decoded = machine();
  for (uint32_t i = 0; i < count; ++i) {
    Set(to + i, decoded.Row(from + i)[0], decoded.ShadowOf(from + i, 0));
  }
}

uint32_t ConstantTable::RowOfWord(uint32_t word) {
  const auto [found, is_new] = rows_of_words_.emplace(word, 0);
  if (is_new) {
    found->second = rows_.Allocate(1);
    Set(found->second, word);
  }
  return found->second;
}

uint32_t ConstantTable::UndefinedRow() {
  if (!undefined_row_) {
    undefined_row_ = rows_.Allocate(1);
    Set(*undefined_row_, 0, kUndefinedBit);
  }
  return *undefined_row_;
}

bool ConstantTable::IsDecoded(Id id) const {
  return rows_.Has(id) && IsConstant(module_.OpcodeOf(id));
}

std::optional<uint64_t> ConstantTable::ValueOf(Id constant, Scalar scalar) {
  Machine& decoded = machine();
  const uint32_t row = rows_.At(constant);
  if (decoded.ShadowOf(row, 0) != 0) return std::nullopt;
  return decoded.Get(row, scalar, 0);
}

Machine& ConstantTable::machine() {
  if (!machine_) machine_ = std::make_unique<Machine>(code_, 4, RunOptions{});
  machine_->Reserve(code_.rows);
  machine_->SetConstants();
  return *machine_;
}

}  // namespace interp
}  // namespace refract
