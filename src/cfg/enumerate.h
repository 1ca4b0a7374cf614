// SPDX-License-Identifier: Apache-2.0
// All graphs of a grammar and size, each once: a derivation for each series of choices, and a graph
// has one derivation.
#pragma once

#include "cfg/derive.h"
#include "cfg/option_table.h"

namespace refract::cfg {

/// Goes through the trees of `blocks` blocks that weigh anything, in a fixed order:
///   Enumerator all(productions, 5);
///   for (Tree tree; all.Next(&tree);) ...
class Enumerator {
 public:
  /// blocks <= productions.blocks().
  Enumerator(const Productions& productions, uint32_t blocks);
  /// The next tree; false if there is none.
  bool Next(Tree* tree);

 private:
  friend class Deriver<Enumerator>;
  const Option& Choose(const State& state);

  struct Made {
    uint32_t index, count;
  };
  OptionTable table_;
  uint32_t blocks_;
  std::vector<Made> made_;  // the choices of the tree before; those that lead to the next one
  size_t done_ = 0;         // of them, in the tree that is being made
  bool ended_ = false;
};

}  // namespace refract::cfg
