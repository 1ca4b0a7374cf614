// SPDX-License-Identifier: Apache-2.0
// Rows of variables that are too large to be stored completely: a module may declare an array of a
// billion elements and use three. Private to this library.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "interp/lane_set.h"

namespace refract {
inline namespace interp {

class SparseRows {
 public:
  SparseRows(uint32_t lanes, uint64_t memory) : lanes_(lanes), memory_(memory) {}
  uint32_t Read(uint32_t row, uint32_t lane, uint32_t* shadow) const;
  /// Returns false if the memory limit is reached.
  bool Write(uint32_t row, uint32_t lane, uint32_t word, uint32_t shadow);
  /// Resets `rows` rows from `first` on to undefined, or to zero, for these invocations.
  void Reset(uint32_t first, uint32_t rows, bool zero, const LaneSet& lanes);

 private:
  struct Word {
    uint32_t bits = 0, shadow = 0;
  };
  struct Variable {
    uint32_t rows = 0;
    bool zero = false;
  };
  Word InitialWord(uint32_t row) const;
  uint32_t lanes_;
  uint64_t memory_;
  std::map<uint32_t, Variable> variables_;  // by first row
  // The rows that were written, one word for each lane.
  std::map<uint32_t, std::vector<Word>> rows_;
};

}  // namespace interp
}  // namespace refract
