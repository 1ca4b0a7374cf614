// SPDX-License-Identifier: Apache-2.0
// Dominator trees of small graphs given as adjacency lists; questions in constant time. A tree can
// be patched along with its graph: what the patches cost grows with the part of the tree that is
// renumbered, and is a few additions for each node of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace refract::inline ir {

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

  bool Reached(uint32_t node) const { return nodes_[node].enter != kNone; }
  /// Reflexive. A node outside the tree neither dominates nor is dominated.
  bool Dominates(uint32_t a, uint32_t b) const {
    const Node &x = nodes_[a], &y = nodes_[b];
    return x.enter <= y.enter && y.leave <= x.leave && y.enter != kNone;
  }
  /// kNone for the root and for nodes outside the tree.
  uint32_t Parent(uint32_t node) const { return nodes_[node].parent; }
  /// Distance from the root.
  uint32_t Depth(uint32_t node) const { return nodes_[node].depth; }
  /// The closest node that dominates both; both in the tree.
  uint32_t CommonDominator(uint32_t a, uint32_t b) const;
  /// Nodes in the tree, parents before children, each subtree in one piece.
  const std::vector<uint32_t>& Preorder() const { return preorder_; }

  /// The nodes whose parent an edge to `to` from another node would change: all get the parent
  /// `nearest`, the common dominator of both. `each(node, visit)` calls `visit` with each
  /// successor. These are the nodes v, deeper than the children of `nearest`, that are reached from
  /// `to` over nodes at least as deep as v (Ramalingam and Reps 1994; the depth-based search of
  /// Georgiadis et al. 2012).
  template <class Each>
  std::vector<uint32_t> MovedByEdge(uint32_t to, uint32_t nearest, Each each) const {
    const uint32_t base = Depth(nearest) + 1;
    std::vector<uint32_t> moved;
    if (Depth(to) <= base) return moved;
    // best[v]: the largest least depth over the paths from `to` to v found so far.
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

  // --- patches; each leaves a tree as the constructor makes it, siblings in some order
  /// One more node, outside the tree; it gets the next number.
  void AddNode() { nodes_.push_back({}); }
  /// `node`, outside the tree, becomes a leaf below `parent`; stays outside if that is.
  void AddLeaf(uint32_t node, uint32_t parent);
  /// `node`, outside the tree, becomes the only child of `above` and gets its children.
  void AddBetween(uint32_t node, uint32_t above);
  /// `moved`, all below `parent`, become its children. Their own subtrees come along.
  void Reparent(const std::vector<uint32_t>& moved, uint32_t parent);
  /// The children of `node`, which is not the root, become its parent's; it is outside then.
  void Dissolve(uint32_t node);
  /// Takes away a node that is outside the tree; the one with the last number gets its number.
  void DropNode(uint32_t node);

 private:
  struct Node {
    uint32_t parent = kNone, depth = 0;
    // The subtree is preorder_[enter, leave).
    uint32_t enter = kNone, leave = kNone;
  };
  // Makes room at `place`, in the subtrees of `parent` and of what is above it.
  void Insert(uint32_t node, uint32_t parent, uint32_t place);

  std::vector<Node> nodes_;
  std::vector<uint32_t> preorder_;
};

}  // namespace refract::inline ir
