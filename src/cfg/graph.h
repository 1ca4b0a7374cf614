// SPDX-License-Identifier: Apache-2.0
// The control-flow graph of one function as plain data: the targets of each block and its merge
// instruction. It does not contain what blocks compute, and it may break any control-flow rule.
// Trees (tree.h) always keep the rules, and modules (skeleton.h) are what tools read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract::cfg {

constexpr uint32_t kNoBlock = 0xffffffffu;

/// The terminator and the merge instruction of a block.
struct GraphBlock {
  uint32_t merge = kNoBlock;            ///< the merge block in its merge instruction, if any
  uint32_t continue_target = kNoBlock;  ///< the continue target, if it has an OpLoopMerge
  bool is_switch = false;               ///< it ends with OpSwitch; the first target is the default
  /// In Graph::targets; without targets it ends the function.
  uint32_t first_target = 0, target_count = 0;
  bool is_header() const { return merge != kNoBlock; }
  bool is_loop() const { return continue_target != kNoBlock; }
};

/// Blocks are numbered, and 0 is the entry block. To build several graphs one after the other in
/// the same object saves allocations.
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
  /// Replaces the targets of a block. The old entries of `targets` remain unused.
  void SetTargets(uint32_t block, std::span<const uint32_t> to);
  /// Calls `visit(block)` for the merge block, the continue target and the targets, in this order.
  template <class Visit>
  void ForEachStructural(uint32_t block, Visit visit) const {
    if (blocks[block].is_header()) visit(blocks[block].merge);
    if (blocks[block].is_loop()) visit(blocks[block].continue_target);
    for (uint32_t to : Targets(block)) visit(to);
  }
};

/// True if both have the same blocks with the same numbers.
bool operator==(const Graph& a, const Graph& b);

/// Returns the graph as one line: "0>1 1L[m3c2]>3 2>1 3>ret". Each block is followed by ">" and its
/// targets. L, S and W mark headers of loops, selections and switches (whose first target is the
/// default), m the merge block and c the continue target. A switch without a merge instruction is W
/// without brackets.
std::string GraphText(const Graph& graph);
/// Reads such a line. The blocks may be in any order, but must be numbered from 0 without gaps.
Result<Graph> ReadGraphText(std::string_view text);

/// Returns which blocks can be reached from the entry block over branches.
std::vector<bool> ReachedByBranches(const Graph& graph);
/// Returns which blocks can be reached from the entry block over structural edges (section 2.2.5:
/// branches, and edges to merge blocks and continue targets).
std::vector<bool> StructurallyReached(const Graph& graph);

/// Renumbers the blocks in the order of a breadth-first walk from the entry block, which visits the
/// merge block first, then the continue target, then the other targets in order. Edges are
/// distinguished by their position. Two graphs are therefore isomorphic exactly if their results
/// are equal. Unreachable blocks are an exception: they come last, in their old order.
Graph Canonical(const Graph& graph);
/// Renumbers the blocks in an order that is valid in a module: each block comes after the blocks
/// that dominate it over branches. (Canonical is not such an order, because a continue target may
/// dominate the merge block before it.)
Graph InModuleOrder(const Graph& graph);
/// Returns a 64-bit hash of Canonical(graph), which is the same for isomorphic graphs on every
/// machine.
uint64_t CanonicalHash(const Graph& graph);

}  // namespace refract::cfg
