// SPDX-License-Identifier: Apache-2.0
// Mends functions after edits by shrink passes: removes unreachable blocks, makes phis match their
// edges, replaces values that do not dominate their uses by plain values, and lists blocks after
// those that dominate them.
#pragma once

#include <vector>

#include "ir/edit/editor.h"

namespace refract {
inline namespace shrink {

/// Mends one function. Returns false if it needs a plain value of a type that has none; the module
/// is then unusable. Unreachable blocks that a header names stay, as short as possible: a merge
/// block gets OpUnreachable, and a continue target branches to its loop header.
bool Repair(Editor& editor, Function function);

/// Removes basic blocks of one function. Only names, decorations and each other may use them.
void RemoveBlocks(Editor& editor, const std::vector<Block>& blocks);

}  // namespace shrink
}  // namespace refract
