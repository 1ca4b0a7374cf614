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

/// True if blocks that are inserted where `block` is split are in a continue construct. A loop of
/// one block is not its own continue construct then. All inserted blocks, reachable or not, must
/// lead to the second part of the block (SPIR-V 2.11.1: a back-edge block structurally
/// post-dominates its continue target).
bool SplitsContinueConstruct(const ControlFlow& flow, Block block);

}  // namespace rules
}  // namespace refract
