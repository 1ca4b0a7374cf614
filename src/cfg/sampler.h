// SPDX-License-Identifier: Apache-2.0
// Random graphs of an exact size: each with a chance in proportion to its weight, so all alike
// where every weight is 1. No graph is made to be thrown away.
#pragma once

#include "base/random.h"
#include "cfg/derive.h"
#include "cfg/option_table.h"

namespace refract::cfg {

/// For graphs of up to so many blocks; one thread at a time. The same seeds give the same trees
/// everywhere.
class Sampler {
 public:
  /// 1 <= blocks <= kMostExact.
  Sampler(const Grammar& grammar, uint32_t blocks)
      : productions_(grammar, blocks), table_(productions_) {}
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  const Productions& productions() const { return productions_; }
  /// Whether there is a graph of that size: weights of 0 may leave none.
  bool Has(uint32_t blocks) const { return !productions_.Total(blocks).IsZero(); }

  /// Draws a tree of `blocks` blocks; there must be one.
  void Draw(uint32_t blocks, Random* random, Tree* tree);
  /// Appends a chain that is drawn; there must be one.
  void Append(ChainKind kind, Context context, uint8_t depth, uint32_t size, Random* random,
              Tree* tree);
  /// Draws one of the options of a state.
  Option Draw(const State& state, Random* random);

 private:
  Productions productions_;
  OptionTable table_;
};

}  // namespace refract::cfg
