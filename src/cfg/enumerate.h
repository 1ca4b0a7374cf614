// SPDX-License-Identifier: Apache-2.0
// Enumerates all graphs of a grammar and size, each once. Each series of choices gives one
// derivation, and each graph has exactly one derivation.
#pragma once

#include "cfg/derive.h"
#include "cfg/option_table.h"

namespace refract::cfg {

/// Enumerates the trees of `blocks` blocks with a weight above 0, in a fixed order:
///   Enumerator all(productions, 5);
///   for (Tree tree; all.Next(&tree);) ...
class Enumerator {
 public:
  /// blocks <= productions.blocks().
  Enumerator(const Productions& productions, uint32_t blocks);
  /// Sets `tree` to the next tree. Returns false after the last one.
  bool Next(Tree* tree);

 private:
  friend class Deriver<Enumerator>;
  const Option& Choose(const State& state);

  struct TakenChoice {
    uint32_t index, count;
  };
  OptionTable table_;
  uint32_t blocks_;
  std::vector<TakenChoice> taken_;  // the choices of the last tree that lead to the next one
  size_t done_ = 0;                 // how many of them the current tree has used
  bool ended_ = false;
};

}  // namespace refract::cfg
