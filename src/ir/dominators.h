// SPDX-License-Identifier: Apache-2.0
// Dominator trees of small graphs given as adjacency lists; questions in constant time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace refract {

/// A directed graph on nodes 0..n-1, edges grouped by source.
struct Graph {
  std::vector<uint32_t> begin;  ///< n + 1 offsets into targets
  std::vector<uint32_t> targets;
  uint32_t size() const { return begin.empty() ? 0 : static_cast<uint32_t>(begin.size() - 1); }
  std::span<const uint32_t> From(uint32_t node) const {
    return std::span(targets).subspan(begin[node], begin[node + 1] - begin[node]);
  }
  /// The same edges turned round; From() lists sources in ascending order.
  Graph Reversed() const;
};

/// Nodes the root does not reach are outside the tree.
class DominatorTree {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  DominatorTree() = default;
  /// Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm" (2001).
  DominatorTree(const Graph& graph, uint32_t root) : DominatorTree(graph, graph.Reversed(), root) {}
  /// The same where graph.Reversed() is there already.
  DominatorTree(const Graph& graph, const Graph& reversed, uint32_t root);

  bool Reached(uint32_t node) const { return enter_[node] != kNone; }
  /// Reflexive. A node outside the tree neither dominates nor is dominated.
  bool Dominates(uint32_t a, uint32_t b) const {
    return Reached(a) && Reached(b) && enter_[a] <= enter_[b] && leave_[b] <= leave_[a];
  }
  /// kNone for the root and for nodes outside the tree.
  uint32_t Parent(uint32_t node) const { return parent_[node]; }
  /// Distance from the root.
  uint32_t Depth(uint32_t node) const { return depth_[node]; }
  /// The closest node that dominates both; both in the tree.
  uint32_t CommonDominator(uint32_t a, uint32_t b) const;
  /// Nodes in the tree, parents before children; siblings in reverse postorder of the graph.
  const std::vector<uint32_t>& Preorder() const { return preorder_; }

 private:
  std::vector<uint32_t> parent_, depth_, enter_, leave_, preorder_;
};

}  // namespace refract
