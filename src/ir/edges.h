// SPDX-License-Identifier: Apache-2.0
// Predicts, from the dominator tree alone, how adding or removing a control-flow edge would change
// dominance. It does not edit the module.
#pragma once

#include <vector>

#include "ir/module.h"

namespace refract {
inline namespace ir {

/// True if an edge `from` -> `to` (basic blocks of one function) would leave some use without a
/// dominating definition. Phis of `to` are assumed to get a proper input for the edge.
///
/// With the edge, the blocks of DominatorTree::MovedByEdge get a new immediate dominator n, the
/// closest common dominator of `from` and `to`. Blocks between n and such a block v in the tree no
/// longer dominate the subtree of v.
bool EdgeBreaksDominance(const Module& module, Block from, Block to);

/// The blocks that become reachable with an edge to `to`, which is unreachable, including `to`.
std::vector<Block> ReachedOver(const Module& module, Block to);

/// Like EdgeBreaksDominance, for such an edge from a reachable block. Also true if some block would
/// then be listed before a block that dominates it (SPIR-V 2.4).
bool FirstEdgeBreaksDominance(const Module& module, Block from, Block to);

/// True if, without the edges that leave `block`, some block would be listed before a block that
/// dominates it (SPIR-V 2.4). Removing edges can add dominators.
bool EndBreaksOrder(const Module& module, Block block);

}  // namespace ir
}  // namespace refract
