// SPDX-License-Identifier: Apache-2.0
// Loops of the simple shape that compilers make: one block tests whether to go on, at the header,
// behind it or at the end, and nothing else leads to the merge block; one branch leads to the
// continue target. What copies a loop's blocks to a place where they are no loop needs that: there
// is then nothing to break out of and nothing to continue.
#pragma once

#include <vector>

#include "ir/branches.h"
#include "rules/rule.h"

namespace refract::inline transform {

struct LoopShape {
  Block header, merge, next;  ///< `next`: the continue target
  Block before;               ///< the one that leads to the loop
  Block test;                 ///< the one that leads to the merge block; OpBranchConditional
  Block latch;                ///< the one that leads back
  std::vector<Block> blocks;  ///< all of the loop, in the order in which they are listed
  std::vector<Inst> phis;     ///< of the header
  /// Made in the loop and used outside, not just by phis of the merge block; or available outside
  /// and known to equal something, which is said of the last round there.
  std::vector<Id> results;
  std::vector<Block> sorted;  ///< the same by handle, for Has
  bool Has(Block block) const;
};

/// Whether the loop that `header` names is of that shape and its blocks may be copied; fills in
/// `shape`.
Verdict FindLoopShape(const View& view, Name header, LoopShape* shape);

// --- of such a loop, what those have to ask as well who ...
/// ... change how many rounds it goes: the control promises nothing of that, and the module lets
/// edges be added.
Verdict MayChangeRounds(const Module& module, const LoopShape& shape);
/// ... put something between it and the block that leads to it: no other construct ends or goes on
/// at the header.
Verdict MayComeBefore(const Module& module, const LoopShape& shape);
/// ... lead to its merge block from a copy of its test, too: what is used outside can be a phi
/// there, and nothing else leads there.
Verdict MayJoinAtMerge(const Module& module, const LoopShape& shape);

/// What Propose does: tosses for each loop of the functions that this pass is to walk, and calls
/// `visit(header)`.
template <class Visit>
void ForEachLoop(Proposer& proposer, Visit visit) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (IsLoopHeader(module, block) && proposer.Toss()) visit(block);
    });
  });
}

}  // namespace refract::inline transform
