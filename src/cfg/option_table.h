// SPDX-License-Identifier: Apache-2.0
// A cache of the options of states, for sampling and enumeration.
#pragma once

#include <cstdint>
#include <vector>

#include "cfg/productions.h"

namespace refract::cfg {

/// Not thread-safe.
class OptionTable {
 public:
  explicit OptionTable(const Productions& productions);

  struct Entry {
    /// A random 64-bit number below this one chooses this option or an earlier one. The last option
    /// needs no such number. Each probability is exact to 2^-62.
    uint64_t below = 0;
    Option option;
  };
  struct Options {
    const Entry* first = nullptr;
    uint32_t count = 0;
  };
  /// Returns at least one option, in a fixed order.
  Options Of(const State& state) {
    const Place& place = places_[IndexOf(state)];
    if (place.count == 0) return Make(state);
    return {&entries_[place.begin], place.count};
  }
  const Productions& productions() const { return productions_; }

 private:
  struct Place {
    uint32_t begin = 0, count = 0;
  };
  size_t IndexOf(const State& state) const {
    const size_t row = row_[static_cast<size_t>(state.choice)];
    size_t column = 0;
    switch (state.choice) {
      case Choice::kCase:
      case Choice::kShape:
        column = (state.falls * (kMostWidth + 1u) + state.others) * 2u +
                 (state.kind == ChainKind::kFalling ? 1u : 0u);
        break;
      default:
        column = static_cast<size_t>(state.kind);
    }
    return ((row + column) * kContexts + state.context) * depth_and_size_ +
           state.depth * size_t{sizes_} + state.size;
  }
  Options Make(const State& state);

  const Productions& productions_;
  uint32_t sizes_;
  size_t depth_and_size_;
  std::array<size_t, static_cast<size_t>(Choice::kCount)> row_ = {};
  std::vector<Place> places_;
  std::vector<Entry> entries_;
  std::vector<Productions::WeightedOption> scratch_;
};

}  // namespace refract::cfg
