// SPDX-License-Identifier: Apache-2.0
// A selection with nothing in it, put into the middle of a block: what becomes of an OpSelect, and
// what add_empty_construct makes.
#pragma once

#include "rules/context_editor.h"

namespace refract::inline transform {

/// Which sides of a selection get a block of their own.
struct EmptySides {
  bool on_true = false, on_false = false;
};

/// The blocks of such a selection; where a side has no block of its own, the header.
struct EmptySelection {
  Block header = Block::kNone, merge = Block::kNone;
  Block from_true = Block::kNone, from_false = Block::kNone;
};

/// Cuts the block before `before` (MaySplitBefore), which begins the merge block then; in between
/// comes a selection on `condition`, or if that is an int a switch on whether it is 1. Deadness is
/// carried to all blocks made. One for a step: what it makes is named for the roles 1 to 7.
EmptySelection AddEmptySelection(ContextEditor& editor, Inst before, Id condition,
                                 EmptySides sides);

/// A new block listed after `after` that only branches to `to`, as dead as `like`. Edges to it and
/// phis are the caller's.
Block AddForwardingBlock(ContextEditor& editor, Block after, Block to, Name label, Name branch,
                         Block like);

}  // namespace refract::inline transform
