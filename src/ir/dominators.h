// SPDX-License-Identifier: Apache-2.0
// Dominator trees of small graphs given as adjacency lists. Queries take constant time. A tree can
// be patched together with its graph; the cost of a patch is a few additions for each node in the
// renumbered part of the tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace refract {
inline namespace ir {

/// A directed graph with nodes 0..n-1, with edges grouped by source.
struct Graph {
  std::vector<uint32_t> begin;  ///< n + 1 offsets into targets
  std::vector<uint32_t> targets;
  uint32_t size() const { return begin.empty() ? 0 : static_cast<uint32_t>(begin.size() - 1); }
  std::span<const uint32_t> From(uint32_t node) const {
    return std::span(targets).subspan(begin[node], begin[node + 1] - begin[node]);
  }
  /// The graph with all edges reversed; From() then lists sources in ascending order.
  Graph Reversed() const;
};

/// Nodes that are unreachable from the root are outside the tree.
class DominatorTree {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  DominatorTree() = default;
  /// Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm" (2001).
  DominatorTree(const Graph& graph, uint32_t root) : DominatorTree(graph, graph.Reversed(), root) {}
  /// The same, if graph.Reversed() has already been computed.
  DominatorTree(const Graph& graph, const Graph& reversed, uint32_t root);

  bool Reached(uint32_t node) const { return nodes_[node].enter != kNone; }
  /// Reflexive. False if either node is outside the tree.
  bool Dominates(uint32_t a, uint32_t b) const {
    const Node &x = nodes_[a], &y = nodes_[b];
    return x.enter <= y.enter && y.leave <= x.leave && y.enter != kNone;
  }
  /// kNone for the root and for nodes outside the tree.
  uint32_t Parent(uint32_t node) const { return nodes_[node].parent; }
  /// Distance from the root.
  uint32_t Depth(uint32_t node) const { return nodes_[node].depth; }
  /// The closest node that dominates both nodes, which must be in the tree.
  uint32_t CommonDominator(uint32_t a, uint32_t b) const;
  /// The nodes of the tree in preorder: parents before children, and each subtree contiguous.
  const std::vector<uint32_t>& Preorder() const { return preorder_; }

  /// The nodes whose parent changes if an edge from another node to `to` is added. All of them
  /// become children of `nearest`, the common dominator of the two nodes. `each(node, visit)` must
  /// call `visit` with each successor. These are the nodes v, deeper than the children of
  /// `nearest`, that are reachable from `to` through nodes at least as deep as v (Ramalingam and
  /// Reps 1994; the depth-based search of Georgiadis et al. 2012).
  template <class Each>
  std::vector<uint32_t> MovedByEdge(uint32_t to, uint32_t nearest, Each each) const {
    const uint32_t base = Depth(nearest) + 1;
    std::vector<uint32_t> moved;
    if (Depth(to) <= base) return moved;
    // best[v]: the maximum, over the paths from `to` to v found so far, of the least depth on the
    // path.
    std::vector<uint32_t> best(nodes_.size(), 0), work{to}, seen{to};
    best[to] = Depth(to);
    while (!work.empty()) {
      const uint32_t node = work.back();
      work.pop_back();
      each(node, [&](uint32_t next) {
        const uint32_t least = std::min(best[node], Depth(next));
        if (least <= base || least <= best[next]) return;
        if (best[next] == 0) seen.push_back(next);
        best[next] = least;
        work.push_back(next);
      });
    }
    for (uint32_t v : seen) {
      if (best[v] >= Depth(v)) moved.push_back(v);
    }
    return moved;
  }

  // --- patches; after each the tree equals a newly built one, except for the order of siblings
  /// Adds a node outside the tree, with the next number.
  void AddNode() { nodes_.push_back({}); }
  /// `node`, outside the tree, becomes a leaf below `parent`. It stays outside if `parent` is
  /// outside.
  void AddLeaf(uint32_t node, uint32_t parent);
  /// `node`, outside the tree, becomes the only child of `above` and the parent of its former
  /// children.
  void AddBetween(uint32_t node, uint32_t above);
  /// The nodes `moved`, all below `parent`, become children of `parent` and keep their subtrees.
  void Reparent(const std::vector<uint32_t>& moved, uint32_t parent);
  /// The children of `node`, which is not the root, become children of its parent; `node` leaves
  /// the tree.
  void Dissolve(uint32_t node);
  /// Removes a node outside the tree. The node with the highest number gets its number.
  void DropNode(uint32_t node);

 private:
  struct Node {
    uint32_t parent = kNone, depth = 0;
    // The subtree is preorder_[enter, leave).
    uint32_t enter = kNone, leave = kNone;
  };
  // Inserts a node at `place` of the preorder, into the subtrees of `parent` and its ancestors.
  void Insert(uint32_t node, uint32_t parent, uint32_t place);

  std::vector<Node> nodes_;
  std::vector<uint32_t> preorder_;
};

}  // namespace ir
}  // namespace refract
