// SPDX-License-Identifier: Apache-2.0
// Regions: all blocks from an entry block E to an exit block X on the same nesting level, with
// whole constructs in between. E may be the merge block of a construct outside, or begin a case or
// continue construct; X may branch to wherever a block on its level may branch. Transformations
// that wrap or copy a region keep the label and the phis of E and the terminator of X in place, so
// that permanent names of the start and the end of the region stay valid.
#pragma once

#include <vector>

#include "ir/control_flow.h"
#include "rules/context_editor.h"
#include "rules/legality/displaced.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// The ends of a region as messages name them: the start by its label, the end by its terminator.
struct RegionEnds {
  Block entry = Block::kNone, exit = Block::kNone;
};
RegionEnds FindEnds(const View& view, Name entry, Name exit);
/// Checks that both exist and are in one function.
CheckResult CheckEnds(const Module& module, const RegionEnds& ends);

class Region {
 public:
  /// The blocks that `entry` reaches, also structurally, without passing `exit`.
  Region(const Module& module, Block entry, Block exit);

  /// Checks that the blocks form a region with one entry and one exit.
  CheckResult Check() const;

  bool Has(Block block) const { return inside_[flow_.Slot(block)] != 0; }
  bool IsReachable(Block block) const { return flow_.Reachable(block); }
  /// In the order of the function.
  std::vector<Block> Blocks() const;
  /// Calls `visit(Inst)` for each instruction that belongs to the region: not for the label and
  /// phis of the entry, nor for the terminator of the exit.
  template <class Visit>
  void ForEachInside(Visit visit) const;
  /// True if `id`, defined inside, is used outside.
  bool IsUsedOutside(Id id) const;
  /// The values that are defined inside and used outside, in the order of the region's blocks.
  std::vector<Id> ResultsUsedOutside() const;
  /// Checks that a phi after the exit can carry each of those values. The types of these values
  /// also have a null constant, which a path that bypasses the region needs.
  CheckResult MayCarryOut() const;
  /// Whether unreachable code that comes before the end of the exit block uses the value.
  bool IsUsedUnreachedBeforeExit(Id id) const;

 private:
  void Add(Block block);
  Inst Begin(Block block) const;
  bool IsEnteredAtEntry() const;
  bool HasWholeConstructs() const;

  const Module& module_;
  const ControlFlow& flow_;
  const Block entry_, exit_;
  std::vector<uint8_t> inside_;
  std::vector<Block> blocks_;
};

template <class Visit>
void Region::ForEachInside(Visit visit) const {
  for (Block block : blocks_) {
    const Inst end = block == exit_ ? module_.Terminator(block) : Inst::kNone;
    for (Inst inst = Begin(block); inst != end; inst = module_.Next(inst)) visit(inst);
  }
}

/// A region that is cut out of its surroundings, so that its control flow can be changed.
struct IsolatedRegion {
  Block entry = Block::kNone;        ///< keeps its label and phis; branches to `first`
  Block first = Block::kNone;        ///< the first of the region's blocks after the cut
  Block exit = Block::kNone;         ///< the last of them; branches to `merge`
  Block merge = Block::kNone;        ///< has the old terminator of the exit
  std::vector<Block> inside;         ///< the region's blocks, in the order of the function
  std::vector<Displaced> displaced;  ///< values that are used outside
};
/// Cuts a region out; requires MayCarryOut. Call it once in a step, because it uses the name roles
/// 1 to 4, and 7 for displaced values.
IsolatedRegion IsolateRegion(ContextEditor& editor, const RegionEnds& ends);
/// Like the other IsolateRegion, but displaces `results`: the values used outside, and perhaps
/// more. Every path to `merge` passes `before_merge`, so the merge block is as dead as that block:
/// the exit, or the entry if returns inside the region will also branch to the merge block.
IsolatedRegion IsolateRegion(ContextEditor& editor, const RegionEnds& ends,
                             const std::vector<Id>& results, Block before_merge);

/// Blocks that may be the exit of a region from `entry`, found by walking along its level: over
/// constructs to their merge blocks, and over branches to blocks and loops without other
/// predecessors. Returns a few blocks, nearest first.
std::vector<Block> ExitsFrom(const Module& module, Block entry);

}  // namespace rules
}  // namespace refract
