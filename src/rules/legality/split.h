// SPDX-License-Identifier: Apache-2.0
// Where a block may be cut in two (Editor::SplitBlock).
#pragma once

#include "ir/edit/editor.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// Whether `before` may become the first instruction of a new block. `before` is any instruction.
Verdict MaySplitBefore(const Module& module, Inst before);

/// The same of an instruction of a loop header, which stays one: it keeps its OpLoopMerge and leads
/// to the new block.
Verdict MayCutHeaderBefore(const Module& module, Inst before);
/// Does it. Of a loop of one block the new one is the continue target. Returns the new block.
Block CutHeader(Editor& editor, Inst first, Name label, Name branch);

}  // namespace refract::inline rules
