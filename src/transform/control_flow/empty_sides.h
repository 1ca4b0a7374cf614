// SPDX-License-Identifier: Apache-2.0
// A selection without code, inserted into the middle of a block; used by replace_select_with_branch
// and add_empty_construct.
#pragma once

#include "rules/context_editor.h"

namespace refract {
inline namespace transform {

/// Which sides of a selection get a block of their own.
struct EmptySides {
  bool on_true = false, on_false = false;
};

/// The blocks of such a selection. For a side without a block of its own, the header.
struct EmptySelection {
  Block header = Block::kNone, merge = Block::kNone;
  Block from_true = Block::kNone, from_false = Block::kNone;
};

/// Splits the block before `before` (see MaySplitBefore), where the merge block begins. The
/// selection in between branches on `condition`; if `condition` is an int, it is a switch that
/// compares it with 1. All new blocks are as dead as the old one. Call it once in a step, because
/// it uses the name roles 1 to 7.
EmptySelection AddEmptySelection(ContextEditor& editor, Inst before, Id condition,
                                 EmptySides sides);

/// Adds a block after `after` that only branches to `to`. The block is as dead as `like`. The
/// caller adds the edges to it and changes the phis.
Block AddForwardingBlock(ContextEditor& editor, Block after, Block to, Name label, Name branch,
                         Block like);

}  // namespace transform
}  // namespace refract
