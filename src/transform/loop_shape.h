// SPDX-License-Identifier: Apache-2.0
// Loops of the simple shape that compilers make: one block tests whether to go on, at the header,
// behind it or at the end, and nothing else leads to the merge block; one branch leads to the
// continue target. What copies a loop's blocks to a place where they are no loop needs that: there
// is then nothing to break out of and nothing to continue.
#pragma once

#include <vector>

#include "transform/copies.h"
#include "transform/displaced.h"

namespace refract {

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

/// Whether the loop that `header` begins is of that shape and its blocks may be copied; fills in
/// `shape`.
Verdict FindLoopShape(const View& view, Block header, LoopShape* shape);
/// The same where a copy runs in place of a round: the control promises no number of rounds, and
/// what is used outside can be a phi of the merge block, which nothing else leads to.
Verdict MayReplaceRounds(const Module& module, const LoopShape& shape);

/// The copy of the loop's blocks begins with what the header's phis have from `from`; from there
/// they have what the copy of the latch hands on instead.
void BeginCopyAfter(ContextEditor& editor, const LoopShape& shape, const Copies& copies,
                    Block from);
/// The merge block is led to by `way`, which follows the test or is it, and now by the copy of the
/// test, too: its phis get what the copy brings, and what was displaced is a phi there.
void JoinAtMerge(ContextEditor& editor, const LoopShape& shape, const Copies& copies,
                 const std::vector<Displaced>& displaced, Block way);

}  // namespace refract
