// SPDX-License-Identifier: Apache-2.0
// Checks of where a block can be split in two (Editor::SplitBlock).
#pragma once

#include "ir/edit/editor.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// Checks that `before`, any instruction, can become the first instruction of a new block.
CheckResult MaySplitBefore(const Module& module, Inst before);

/// The same for an instruction of a loop header. The first part remains the header: it keeps its
/// OpLoopMerge and branches to the new block.
CheckResult MaySplitHeaderBefore(const Module& module, Inst before);
/// Splits the loop header there. If the loop has only one block, the new block becomes the continue
/// target. Returns the new block.
Block SplitHeader(Editor& editor, Inst first, Name label, Name branch);

}  // namespace rules
}  // namespace refract
