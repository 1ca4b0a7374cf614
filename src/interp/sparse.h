// SPDX-License-Identifier: Apache-2.0
// Rows of variables too large to be kept whole: a module may declare an array of a billion elements
// and use three. Inside this room only.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "interp/lane_set.h"

namespace refract::inline interp {

class SparseRows {
 public:
  SparseRows(uint32_t lanes, uint64_t memory) : lanes_(lanes), memory_(memory) {}
  uint32_t Read(uint32_t row, uint32_t lane, uint32_t* shadow) const;
  /// False if the memory is used up.
  bool Write(uint32_t row, uint32_t lane, uint32_t word, uint32_t shadow);
  /// `rows` rows from `first` on become undefined, or zero, for these invocations.
  void Reset(uint32_t first, uint32_t rows, bool zero, const LaneSet& lanes);

 private:
  struct Word {
    uint32_t bits = 0, shadow = 0;
  };
  struct Variable {
    uint32_t rows = 0;
    bool zero = false;
  };
  Word Untouched(uint32_t row) const;
  uint32_t lanes_;
  uint64_t memory_;
  std::map<uint32_t, Variable> variables_;      // by first row
  std::map<uint32_t, std::vector<Word>> rows_;  // those that were written, a word for each lane
};

}  // namespace refract::inline interp
