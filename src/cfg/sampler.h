// SPDX-License-Identifier: Apache-2.0
// Draws random graphs of an exact size. The probability of each graph is proportional to its
// weight, so all are equally likely if every weight is 1. No drawn graph is discarded.
#pragma once

#include "base/random.h"
#include "cfg/derive.h"
#include "cfg/option_table.h"

namespace refract::cfg {

/// For graphs of up to `blocks` blocks. Not thread-safe. The same seeds give the same trees on
/// every machine.
class Sampler {
 public:
  /// 1 <= blocks <= kMostExact.
  Sampler(const Grammar& grammar, uint32_t blocks)
      : productions_(grammar, blocks), table_(productions_) {}
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  const Productions& productions() const { return productions_; }
  /// True if there is a graph of that size. Weights of 0 may leave none.
  bool Has(uint32_t blocks) const { return !productions_.Total(blocks).IsZero(); }

  /// Draws a tree of `blocks` blocks, which must exist.
  void Draw(uint32_t blocks, Random* random, Tree* tree);
  /// Draws a chain, which must exist, and appends it.
  void Append(ChainKind kind, Context context, uint8_t depth, uint32_t size, Random* random,
              Tree* tree);
  /// Draws one of the options of a state.
  Option Draw(const State& state, Random* random);

 private:
  Productions productions_;
  OptionTable table_;
};

}  // namespace refract::cfg
