// SPDX-License-Identifier: Apache-2.0
// Lists the trees that are one cut smaller than a tree, as candidates of a reduction. A cut removes
// a part and changes the rest as little as possible. An edge whose target is gone gets another
// target, so that the result is a tree and its graph keeps the rules.
//
//   kRun       removes consecutive nodes of a chain, constructs as a whole, but not the last node
//   kEnd       removes what follows a node of a chain, which becomes the last one
//   kFlatten   replaces a construct by a plain block
//   kHoist     replaces a construct by one of its chains: an arm, a case, the body or the continue
//              construct (an arm that joins is followed by the chain in which the arms join)
//   kHoistEnd  does the same and also removes what follows the construct
//   kArm       removes an arm of a selection; the edge then leads to the merge block
//   kJoin      removes the chain in which arms join; the arms then lead to the merge block
//   kPrefix    removes an arm up to the join; the header then branches there directly
//   kBody      removes the body of a loop
//   kSingle    replaces a loop by a loop of a single block
//   kCase      removes a case of a switch with its labels; a default then leads to the merge block
//   kLabel     removes one of several labels of a case, or a label of the merge block
//   kFall      removes the fall-through of a case
//   kEdge       removes one of two edges of a plain node or a loop header
//   kChain     removes a chain to which no edge leads
#pragma once

#include <cstdint>
#include <vector>

#include "cfg/tree.h"

namespace refract::cfg {

enum class CutKind : uint8_t {
  kRun,
  kEnd,
  kFlatten,
  kHoist,
  kHoistEnd,
  kArm,
  kJoin,
  kPrefix,
  kBody,
  kSingle,
  kCase,
  kLabel,
  kFall,
  kEdge,
  kChain,
};

/// One cut of a tree.
struct Cut {
  CutKind kind = CutKind::kRun;
  uint32_t at = 0;  ///< the node
  /// kRun: the position after the last node; else the number of arm, case, label or edge.
  uint32_t which = 0;
  // The size of the result.
  uint32_t blocks = 0;
  uint32_t edges = 0;  ///< branches, and edges to merge blocks and continue targets
};

/// Returns all cuts that leave fewer blocks, or as many blocks and fewer edges, smallest result
/// first. If several cuts make the same tree, one of them is listed. Only the tree of one block has
/// no cuts. The time is proportional to the square of the number of blocks.
std::vector<Cut> ListCuts(const Tree& tree);

/// Returns the tree after one of its cuts (make_cut.cpp).
Tree MakeCut(const Tree& tree, const Cut& cut);

}  // namespace refract::cfg
