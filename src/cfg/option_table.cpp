// SPDX-License-Identifier: Apache-2.0
#include "cfg/option_table.h"

#include "base/check.h"

namespace refract::cfg {
namespace {

__extension__ using Uint128 = unsigned __int128;

}  // namespace

OptionTable::OptionTable(const Productions& productions)
    : productions_(productions),
      sizes_(productions.blocks() + 1),
      depth_and_size_(size_t{sizes_} * (productions.OuterDepth() + 1u)) {
  size_t rows = 0;
  for (size_t i = 0; i < row_.size(); ++i) {
    row_[i] = rows;
    const Choice choice = static_cast<Choice>(i);
    const bool cases = choice == Choice::kCase || choice == Choice::kShape;
    rows +=
        cases ? 2 * (kMostWidth + 1) * (kMostWidth + 1) : static_cast<size_t>(ChainKind::kCount);
  }
  places_.resize(rows * kContexts * depth_and_size_);
}

OptionTable::Options OptionTable::Make(const State& state) {
  productions_.List(state, &scratch_);
  CHECK(!scratch_.empty());
  BigNumber total;
  for (const auto& weighed : scratch_) total += weighed.weight;
  // Sums below 2^64 are used as they are, of larger ones the first 64 binary digits.
  const uint32_t shift = total.bits() > 64 ? total.bits() - 64 : 0;
  const Uint128 whole = total.ShiftedDown(shift);
  Place& place = places_[IndexOf(state)];
  place.begin = static_cast<uint32_t>(entries_.size());
  place.count = static_cast<uint32_t>(scratch_.size());
  BigNumber sum;
  for (const auto& weighed : scratch_) {
    sum += weighed.weight;
    const Uint128 part = Uint128{sum.ShiftedDown(shift)} << 64;
    const Uint128 below = part / whole;
    entries_.push_back(
        {below >> 64 != 0 ? ~uint64_t{0} : static_cast<uint64_t>(below), weighed.option});
  }
  return {&entries_[place.begin], place.count};
}

}  // namespace refract::cfg
