// SPDX-License-Identifier: Apache-2.0
// A copy of a loop of the simple shape (loop_shape.h), and how the two are put together: one after
// the other, or the copy in place of a round. Whoever uses it has checked the shape and asked what
// stands beside it there. The order of calls is that below; what is not needed is left out.
#pragma once

#include <vector>

#include "rules/build/copies.h"
#include "rules/legality/displaced.h"
#include "transform/control_flow/loop_shape.h"

namespace refract::inline transform {

class LoopCopy {
 public:
  /// Of the loop that `header` names; `role`: of all that is copied.
  LoopCopy(ContextEditor& editor, Name header, uint64_t role);
  const LoopShape& loop() const { return loop_; }

  /// Parts what is used outside from what is made inside, so that Join can put phis there; `role`:
  /// of what is inside.
  void DisplaceResults(uint64_t role);
  /// Makes the copy, listed after `after`: a loop of its own, that `loop().before` seems to lead
  /// to and that leaves to the same merge block. All edges and merge instructions are the caller's.
  void Make(Block after);
  /// The copy of a block of the loop.
  Block Of(Block block) const;

  /// The copy is one round, and no loop: it begins with what the header's phis have from `from`,
  /// from where they have what the copy of the latch hands on instead.
  void BeginAfter(Block from);
  /// What the header's phis have from `from` they have from `way` now, to which the copy leads:
  /// what they had in the copy or, if `is_next`, what the copy of the latch hands on.
  void Enter(Block from, Block way, bool is_next);

  /// Gives the loop a merge block of its own, on the way to the old one. Returns it.
  Block AddMergeBlock(Name label, Name branch);
  /// The old merge block is led to by `way`, which follows the test or is it, and now by
  /// `copied_way`, which follows the copy of the test or is it: its phis get what the copy brings,
  /// and what was displaced is a phi there.
  void Join(Block way, Block copied_way);
  /// Gives what was copied the facts of what it is a copy of. Last.
  void CarryFacts() { copies_.CarryAllFacts(round_); }

 private:
  ContextEditor& editor_;
  LoopShape loop_;
  Inst round_;  // in front of all rounds
  Copies copies_;
  std::vector<Displaced> displaced_;
};

}  // namespace refract::inline transform
