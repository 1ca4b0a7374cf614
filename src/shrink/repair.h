// SPDX-License-Identifier: Apache-2.0
// Mends functions after edits by shrink passes: removes unreachable blocks, makes phis match their
// edges, replaces values that do not dominate their uses by plain values, and lists blocks after
// those that dominate them.
#pragma once

#include <set>
#include <vector>

#include "ir/edit/editor.h"

namespace refract {
inline namespace shrink {

/// True if the block is as short as Repair makes an unreachable block that a header names: a label,
/// and OpUnreachable or OpBranch.
bool IsShort(const Module& module, Block block);

/// Returns the blocks of a function that are not reachable.
std::set<Block> UnreachableBlocks(const Module& module, Function function);

/// Mends one function. Returns false if it needs a plain value of a type that has none; the module
/// is then unusable. Unreachable blocks in `left_alone` stay as they are, unless they lead to a
/// block that does not stay, or are short and no staying block leads to them. Others that a header
/// names stay, as short as possible: a merge block gets OpUnreachable, and a continue target
/// branches to its loop header.
bool Repair(Editor& editor, Function function, const std::set<Block>& left_alone = {});

/// Removes basic blocks of one function. Only names, decorations and each other may use them.
void RemoveBlocks(Editor& editor, const std::vector<Block>& blocks);

}  // namespace shrink
}  // namespace refract
