// SPDX-License-Identifier: Apache-2.0
// What bold edits leave behind is put in order: the parts of a function that nothing reaches go,
// phis fit their edges again, values that do not dominate their uses are replaced by plain ones,
// and blocks are listed behind those that dominate them.
#pragma once

#include <vector>

#include "ir/edit/editor.h"

namespace refract::inline shrink {

/// Mends one function. False if something is needed for which there is no plain value: then the
/// module is good for nothing. Blocks that a header still names are kept where nothing reaches
/// them, as short as can be: a merge block is OpUnreachable, a continue target goes to its loop.
bool Repair(Editor& editor, Function function);

/// Removes basic blocks of one function, which nothing else uses but names and decorations.
void RemoveBlocks(Editor& editor, const std::vector<Block>& blocks);

}  // namespace refract::inline shrink
