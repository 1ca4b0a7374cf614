// SPDX-License-Identifier: Apache-2.0
// A copy of a loop of the simple shape (loop_shape.h), and the edits that connect the loop and its
// copy: one runs after the other, or the copy takes the place of one iteration. The caller has
// checked the shape and the conditions listed at the end of loop_shape.h. Call the functions in the
// order in which they are declared; leave out those that are not needed.
#pragma once

#include <vector>

#include "rules/build/copies.h"
#include "rules/legality/displaced.h"
#include "transform/control_flow/loop_shape.h"

namespace refract {
inline namespace transform {

class LoopCopy {
 public:
  /// Copies the loop with this header. `role` is the name role of the copies.
  LoopCopy(ContextEditor& editor, Name header, uint64_t role);
  const LoopShape& loop() const { return loop_; }

  /// Separates the uses of results outside the loop from those inside, so that Join can add phis.
  /// `role` is the name role of the inside values.
  void DisplaceResults(uint64_t role);
  /// Makes the copy, listed after `after`. The copy is a loop of its own: it seems to be entered
  /// from `loop().before`, and it exits to the same merge block. The caller adds all edges and
  /// merge instructions.
  void Make(Block after);
  /// The copy of a block of the loop.
  Block Of(Block block) const;

  /// Makes the copy a single iteration and not a loop. The phis of its header get the inputs that
  /// the original has for `from`; the original then gets the values that the copied latch passes
  /// on.
  void BeginAfter(Block from);
  /// Replaces the inputs of the header phis for `from`: the copy now enters the loop from
  /// `predecessor`. The new inputs are the values of these phis in the copy or, if `is_next`, the
  /// values that the copied latch passes on.
  void Enter(Block from, Block predecessor, bool is_next);

  /// Gives the loop a merge block of its own, which branches to the old merge block. Returns the
  /// new block.
  Block AddMergeBlock(Name label, Name branch);
  /// Connects the old merge block to both loops. It is entered from `predecessor`, which is the
  /// test or follows it, and from `copied_predecessor`, which is the copied test or follows it. Its
  /// phis get inputs from the copy, and displaced values become phis there.
  void Join(Block predecessor, Block copied_predecessor);
  /// Gives the copies the facts of what they are copied from. Call it last.
  void CopyFacts() { copies_.CopyAllFacts(before_loop_); }

 private:
  ContextEditor& editor_;
  LoopShape loop_;
  Inst before_loop_;  // before all iterations
  Copies copies_;
  std::vector<Displaced> displaced_;
};

}  // namespace transform
}  // namespace refract
