// SPDX-License-Identifier: Apache-2.0
// Loops of the simple shape that compilers make. One block, at the beginning, in the middle or at
// the end of the loop, decides whether to continue; only this block branches to the merge block,
// and only one branch leads to the continue target. Transformations that copy the blocks of a loop
// to a place outside a loop need this shape, because it leaves no other break or continue to
// handle.
#pragma once

#include <vector>

#include "ir/branches.h"
#include "rules/rule.h"

namespace refract {
inline namespace transform {

struct LoopShape {
  Block header, merge, next;  ///< `next`: the continue target
  Block before;               ///< the block from which the loop is entered
  Block test;                 ///< the block that branches to the merge block; OpBranchConditional
  Block latch;                ///< the block with the back edge
  std::vector<Block> blocks;  ///< all blocks of the loop, in the order of the function
  std::vector<Inst> phis;     ///< of the header
  /// Values that are defined in the loop and used outside it, except by phis of the merge block;
  /// and values that are available outside and have synonyms, because a synonym holds there for the
  /// last iteration.
  std::vector<Id> results;
  std::vector<Block> sorted;  ///< `blocks` sorted by handle, for Has
  bool Has(Block block) const;
};

/// Checks that the loop with this header has that shape and that its blocks can be copied. Fills in
/// `shape`.
CheckResult FindLoopShape(const View& view, Name header, LoopShape* shape);

// --- further checks of such a loop, for transformations that ...
/// ... change the number of iterations: the loop control makes no promise about it, and edges can
/// be added to the module.
CheckResult MayChangeIterations(const Module& module, const LoopShape& shape);
/// ... insert something before the loop: the header is not the merge block or continue target of
/// another construct.
CheckResult MayInsertBeforeLoop(const Module& module, const LoopShape& shape);
/// ... also enter its merge block from a copy of its test: the merge block has no other
/// predecessor, and the values used outside can become phis there.
CheckResult MayJoinAtMerge(const Module& module, const LoopShape& shape);

/// Used by Propose functions: calls `visit(header)` for a random selection of the loops in the
/// functions that this fuzzer pass walks.
template <class Visit>
void ForEachLoop(Proposer& proposer, Visit visit) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (IsLoopHeader(module, block) && proposer.ShouldTry()) visit(block);
    });
  });
}

}  // namespace transform
}  // namespace refract
