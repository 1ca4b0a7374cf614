// SPDX-License-Identifier: Apache-2.0
// What a new control-flow edge, or the loss of one, would do to dominance, answered from the
// dominator tree: nothing is tried and undone.
#pragma once

#include <vector>

#include "ir/module.h"

namespace refract::inline ir {

/// Whether an edge `from` -> `to` (both basic blocks of one function) would leave some use without
/// a dominating definition. Phis of `to` are taken to get a proper input for the edge.
///
/// With the edge, the blocks of DominatorTree::MovedByEdge change their immediate dominator to n,
/// the closest common dominator of `from` and `to`. What stood between n and such a block v in the
/// tree no longer dominates v's subtree.
bool EdgeBreaksDominance(const Module& module, Block from, Block to);

/// Blocks that only an edge to `to`, which nothing leads to yet, would lead to; with `to`.
std::vector<Block> ReachedOver(const Module& module, Block to);

/// The same as EdgeBreaksDominance for such an edge from a block that is reached: also whether some
/// block would then be listed before one that dominates it (SPIR-V 2.4).
bool FirstEdgeBreaksDominance(const Module& module, Block from, Block to);

/// Whether, without the edges that leave `block`, some block would be listed before one that
/// dominates it (SPIR-V 2.4): what loses an edge can be dominated by more.
bool EndBreaksOrder(const Module& module, Block block);

}  // namespace refract::inline ir
