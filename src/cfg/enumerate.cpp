// SPDX-License-Identifier: Apache-2.0
#include "cfg/enumerate.h"

namespace refract::cfg {

Enumerator::Enumerator(const Productions& productions, uint32_t blocks)
    : table_(productions), blocks_(blocks), ended_(productions.Total(blocks).IsZero()) {}

const Option& Enumerator::Choose(const State& state) {
  const auto [entries, count] = table_.Of(state);
  if (done_ == taken_.size()) taken_.push_back({0, count});
  return entries[taken_[done_++].index].option;
}

bool Enumerator::Next(Tree* tree) {
  if (ended_) return false;
  tree->Clear();
  done_ = 0;
  const Productions& productions = table_.productions();
  Deriver<Enumerator>(productions, *this, tree)
      .Chain(ChainKind::kEntry, kMayEnd, productions.OuterDepth(), blocks_);
  // Find the last choice that has another option. The choices before it stay, and those after it
  // are made again.
  while (!taken_.empty() && taken_.back().index + 1 == taken_.back().count) taken_.pop_back();
  if (taken_.empty()) {
    ended_ = true;
  } else {
    ++taken_.back().index;
  }
  return true;
}

}  // namespace refract::cfg
