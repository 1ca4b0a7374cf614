// SPDX-License-Identifier: Apache-2.0
// The trees that are one cut smaller than a tree: what a reduction tries. A cut takes something out
// and leaves the rest as it is where it can; a way that leads nowhere any more becomes one that is
// there, so that what comes out is a tree again, and its graph keeps the rules.
//
//   kRun       some nodes in a row of a chain, constructs whole, but not its last one
//   kEnd       what is behind a node of a chain, which becomes its last one
//   kFlatten   a construct becomes a plain block
//   kHoist     a construct's inside takes its place: of an arm, a case, the body or the continue
//              construct (where arms join, of the arm with what they join in)
//   kHoistEnd  the same, and what was behind the construct goes, too
//   kArm       an arm of a selection, which then goes to the merge block
//   kJoin      where the arms of a selection join: they go to the merge block
//   kPrefix    an arm up to there: the header goes there itself
//   kBody      the body of a loop
//   kSingle    a loop becomes one of a single block
//   kCase      a case of a switch with its labels; a default goes to the merge block
//   kLabel     one of several labels of a case, or one of the merge block
//   kFall      a case does not fall through any more
//   kWay       one of two ways of a plain node or a loop header
//   kChain     a chain that nothing goes to
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
  kWay,
  kChain,
};

struct Cut {
  CutKind kind = CutKind::kRun;
  uint32_t at = 0;     ///< the node
  uint32_t which = 0;  ///< kRun: one behind the last node; otherwise which arm, case, label or way
  // What is left.
  uint32_t blocks = 0;
  uint32_t edges = 0;  ///< branches, and those to merge blocks and continue targets
};

/// All cuts of a tree after which it has fewer blocks, or as many and fewer edges: those that leave
/// the least first. Of several that make the same tree one is listed. Only the tree of one block
/// has none. Takes time in proportion to the square of the number of blocks.
std::vector<Cut> ListCuts(const Tree& tree);

/// The tree after one of its cuts (make_cut.cpp).
Tree MakeCut(const Tree& tree, const Cut& cut);

}  // namespace refract::cfg
