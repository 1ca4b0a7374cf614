// SPDX-License-Identifier: Apache-2.0
#include "interp/sparse.h"

#include "interp/machine.h"

namespace refract {
inline namespace interp {

SparseRows::Word SparseRows::InitialWord(uint32_t row) const {
  auto after = variables_.upper_bound(row);
  const bool zero = after != variables_.begin() && std::prev(after)->second.zero;
  return {0, zero ? 0 : kUndefinedBit};
}

uint32_t SparseRows::Read(uint32_t row, uint32_t lane, uint32_t* shadow) const {
  const auto found = rows_.find(row);
  const Word word = found == rows_.end() ? InitialWord(row) : found->second[lane];
  *shadow = word.shadow;
  return word.bits;
}

bool SparseRows::Write(uint32_t row, uint32_t lane, uint32_t word, uint32_t shadow) {
  auto found = rows_.find(row);
  if (found == rows_.end()) {
    const uint64_t each = lanes_ * sizeof(Word) + 64;
    if (rows_.size() >= memory_ / each) return false;
    found = rows_.emplace(row, std::vector<Word>(lanes_, InitialWord(row))).first;
  }
  found->second[lane] = {word, shadow};
  return true;
}

void SparseRows::Reset(uint32_t first, uint32_t rows, bool zero, const LaneSet& lanes) {
  variables_[first] = {rows, zero};
  const Word untouched = InitialWord(first);
  for (auto row = rows_.lower_bound(first); row != rows_.end() && row->first - first < rows;) {
    if (lanes.count() == lanes_) {
      row = rows_.erase(row);
      continue;
    }
    lanes.ForEach([&](uint32_t lane) { row->second[lane] = untouched; });
    ++row;
  }
}

}  // namespace interp
}  // namespace refract
