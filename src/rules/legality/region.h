// SPDX-License-Identifier: Apache-2.0
// Regions: an entry block E to an exit block X on one level of nesting, with whole constructs in
// between. E may end a construct outside, or begin a case or continue construct; X may leave for
// wherever its level may leave to. What wraps or copies a region keeps E's label and head where
// they are and X's terminator too, so that whoever names the start or the end of it still does.
#pragma once

#include <vector>

#include "ir/control_flow.h"
#include "rules/context_editor.h"
#include "rules/legality/displaced.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// The ends of a region as messages name them: its start by a label, its end by a terminator.
struct RegionEnds {
  Block entry = Block::kNone, exit = Block::kNone;
};
RegionEnds FindEnds(const View& view, Name entry, Name exit);
/// Whether both are there, in one function.
Verdict CheckEnds(const Module& module, const RegionEnds& ends);

class Region {
 public:
  /// What `entry` reaches, structurally too, without leaving `exit`.
  Region(const Module& module, Block entry, Block exit);

  /// Whether it is one, with one entry and one exit.
  Verdict Check() const;

  bool Has(Block block) const { return inside_[flow_.Slot(block)] != 0; }
  bool IsReachable(Block block) const { return flow_.Reachable(block); }
  /// In the order in which they are listed.
  std::vector<Block> Blocks() const;
  /// Calls `visit(Inst)` for each instruction that belongs to the region: not what stays in the
  /// head of the entry, nor the exit's terminator.
  template <class Visit>
  void ForEachInside(Visit visit) const;
  /// Whether `id`, made inside, is used outside.
  bool IsUsedOutside(Id id) const;
  /// What is made inside and used outside, in the order of the region's blocks.
  std::vector<Id> ResultsUsedOutside() const;
  /// Whether a phi behind the exit can carry on each of those; each has a null constant, too, for
  /// a way past the region.
  Verdict MayCarryOut() const;

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

/// A region cut out of its level, about to run otherwise.
struct CutRegion {
  Block entry = Block::kNone;        ///< keeps label and head; leads to `first`
  Block first = Block::kNone;        ///< the first of the region's blocks now
  Block exit = Block::kNone;         ///< the last; leads to `merge`
  Block merge = Block::kNone;        ///< has the exit's terminator
  std::vector<Block> inside;         ///< the region's blocks, as they are listed
  std::vector<Displaced> displaced;  ///< what is used outside
};
/// Cuts a region that MayCarryOut. One for a step: what it makes is named for the roles 1 to 4 and,
/// what is displaced, 7.
CutRegion CutOut(ContextEditor& editor, const RegionEnds& ends);
/// The same where `results` are displaced: what is used outside, and perhaps more. Whoever enters
/// `merge` has entered `before_merge`: its deadness is the merge block's. That is the exit, or the
/// entry where returns inside the region will lead to the merge block too.
CutRegion CutOut(ContextEditor& editor, const RegionEnds& ends, const std::vector<Id>& results,
                 Block before_merge);

/// Blocks that may be the exit of a region from `entry`, by following its level: over constructs to
/// their merge blocks, over branches to blocks, and loops, that only they go to. A few, nearest
/// first.
std::vector<Block> ExitsFrom(const Module& module, Block entry);

}  // namespace refract::inline rules
