// SPDX-License-Identifier: Apache-2.0
#include "cfg/enumerate.h"

namespace refract::cfg {

Enumerator::Enumerator(const Productions& productions, uint32_t blocks)
    : table_(productions), blocks_(blocks), ended_(productions.Total(blocks).IsZero()) {}

const Option& Enumerator::Choose(const State& state) {
  const auto [entries, count] = table_.Of(state);
  if (done_ == made_.size()) made_.push_back({0, count});
  return entries[made_[done_++].index].option;
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
  while (!made_.empty() && made_.back().index + 1 == made_.back().count) made_.pop_back();
  if (made_.empty()) {
    ended_ = true;
  } else {
    ++made_.back().index;
  }
  return true;
}

}  // namespace refract::cfg
