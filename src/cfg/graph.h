// SPDX-License-Identifier: Apache-2.0
// The control-flow graph of one function as plain data: which block may go where, and what its
// merge instruction declares. It says nothing of what blocks compute, and it may break any rule:
// trees (tree.h) are what keeps the rules, modules (skeleton.h) what tools read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract::cfg {

constexpr uint32_t kNoBlock = 0xffffffffu;

struct GraphBlock {
  uint32_t merge = kNoBlock;            ///< what its merge instruction declares; none
  uint32_t continue_target = kNoBlock;  ///< with an OpLoopMerge
  bool is_switch = false;               ///< it ends with OpSwitch; the first target is the default
  uint32_t first_target = 0, target_count = 0;  ///< in Graph::targets; none: the function ends
  bool is_header() const { return merge != kNoBlock; }
  bool is_loop() const { return continue_target != kNoBlock; }
};

/// Blocks by number; 0 is the entry block. Several graphs may be made one after the other in the
/// same Graph: then nothing is allocated.
struct Graph {
  std::vector<GraphBlock> blocks;
  std::vector<uint32_t> targets;

  uint32_t size() const { return static_cast<uint32_t>(blocks.size()); }
  std::span<const uint32_t> Targets(uint32_t block) const {
    const GraphBlock& at = blocks[block];
    return std::span(targets).subspan(at.first_target, at.target_count);
  }
  void Clear() {
    blocks.clear();
    targets.clear();
  }
  /// Gives a block other targets, whose old place in `targets` is lost.
  void SetTargets(uint32_t block, std::span<const uint32_t> to);
  /// Calls `visit(block)` for merge block, continue target and targets, in this order.
  template <class Visit>
  void ForEachStructural(uint32_t block, Visit visit) const {
    if (blocks[block].is_header()) visit(blocks[block].merge);
    if (blocks[block].is_loop()) visit(blocks[block].continue_target);
    for (uint32_t to : Targets(block)) visit(to);
  }
};

/// The same blocks by the same numbers.
bool operator==(const Graph& a, const Graph& b);

/// One line: "0>1 1L[m3c2]>3 2>1 3>ret"; block > targets; L, S and W are headers of loops,
/// selections and switches (the first target is the default), with merge block m and continue
/// target c. A switch without merge instruction is W without brackets.
std::string GraphText(const Graph& graph);
/// Reads such a line, in any order of blocks; all from 0 on must be there.
Result<Graph> ReadGraphText(std::string_view text);

/// Which blocks branches reach from the entry block.
std::vector<bool> ReachedByBranches(const Graph& graph);
/// Which blocks structural edges (2.2.5: branches, and those to merge block and continue target)
/// reach from the entry block.
std::vector<bool> StructurallyReached(const Graph& graph);

/// The blocks renumbered as a walk from the entry finds them, breadth first, merge block before
/// continue target before targets in order. Since edges are told apart by their place, two graphs
/// are the same up to the names of blocks exactly if this gives the same; but for blocks that are
/// not reached, which come last, in the order they have.
Graph Canonical(const Graph& graph);
/// The blocks renumbered so that they may stand in a module in this order: each behind the blocks
/// that dominate it over branches. (Canonical has merge blocks before continue targets, which may
/// dominate them.)
Graph InModuleOrder(const Graph& graph);
/// 64 bits of Canonical(graph): equal for equal graphs on every machine.
uint64_t CanonicalHash(const Graph& graph);

}  // namespace refract::cfg
