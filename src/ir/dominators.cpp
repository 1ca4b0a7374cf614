// SPDX-License-Identifier: Apache-2.0
#include "ir/dominators.h"

#include <algorithm>

namespace refract {
inline namespace ir {
namespace {

constexpr uint32_t kUnseen = 0xffffffffu;

// The nodes that are reachable from `root`, in postorder.
std::vector<uint32_t> Postorder(const Graph& graph, uint32_t root) {
  std::vector<uint32_t> order;
  order.reserve(graph.size());
  std::vector<uint32_t> next_edge(graph.size(), kUnseen);
  std::vector<uint32_t> stack{root};
  stack.reserve(graph.size());
  next_edge[root] = graph.begin[root];
  while (!stack.empty()) {
    const uint32_t node = stack.back();
    if (next_edge[node] == graph.begin[node + 1]) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    const uint32_t target = graph.targets[next_edge[node]++];
    if (next_edge[target] != kUnseen) continue;
    next_edge[target] = graph.begin[target];
    stack.push_back(target);
  }
  return order;
}

}  // namespace

Graph Graph::Reversed() const {
  Graph result;
  result.begin.assign(size() + 1, 0);
  for (uint32_t target : targets) ++result.begin[target + 1];
  for (uint32_t i = 0; i < size(); ++i) result.begin[i + 1] += result.begin[i];
  result.targets.resize(targets.size());
  std::vector<uint32_t> next(result.begin.begin(), result.begin.end() - 1);
  for (uint32_t node = 0; node < size(); ++node) {
    for (uint32_t target : From(node)) result.targets[next[target]++] = node;
  }
  return result;
}

DominatorTree::DominatorTree(const Graph& graph, const Graph& reversed, uint32_t root) {
  const uint32_t n = graph.size();
  nodes_.resize(n);
  const std::vector<uint32_t> postorder = Postorder(graph, root);
  const uint32_t reached = static_cast<uint32_t>(postorder.size());
  std::vector<uint32_t> number(n, kNone);  // postorder numbers; the root has the highest
  for (uint32_t i = 0; i < reached; ++i) number[postorder[i]] = i;

  // From here on, nodes are represented by these numbers: a dominator has a higher number than the
  // nodes that it dominates.
  std::vector<uint32_t> dominator(reached, kNone);
  dominator[reached - 1] = reached - 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = reached - 1; i-- > 0;) {
      uint32_t best = kNone;
      for (uint32_t source : reversed.From(postorder[i])) {
        uint32_t other = number[source];
        if (other == kNone || dominator[other] == kNone) continue;
        if (best == kNone) best = other;
        while (best != other) {
          if (best < other) {
            best = dominator[best];
          } else {
            other = dominator[other];
          }
        }
      }
      changed = changed || dominator[i] != best;
      dominator[i] = best;
    }
  }

  // Computes the sizes of subtrees from the leaves up, then preorder positions from the root down.
  // Siblings are in reverse postorder.
  std::vector<uint32_t> size(reached, 1), next(reached, 0);
  for (uint32_t i = 0; i + 1 < reached; ++i) size[dominator[i]] += size[i];
  preorder_.resize(reached);
  for (uint32_t i = reached; i-- > 0;) {
    Node& node = nodes_[postorder[i]];
    uint32_t place = 0;
    if (i != reached - 1) {
      const uint32_t parent = dominator[i];
      node.parent = postorder[parent];
      node.depth = nodes_[node.parent].depth + 1;
      place = next[parent];
      next[parent] += size[i];
    }
    next[i] = place + 1;
    node.enter = place;
    node.leave = place + size[i];
    preorder_[place] = postorder[i];
  }
}

uint32_t DominatorTree::CommonDominator(uint32_t a, uint32_t b) const {
  while (!Dominates(a, b)) a = nodes_[a].parent;
  return a;
}

void DominatorTree::Insert(uint32_t node, uint32_t parent, uint32_t place) {
  preorder_.insert(preorder_.begin() + place, node);
  for (size_t i = place + 1; i < preorder_.size(); ++i) {
    Node& moved = nodes_[preorder_[i]];
    ++moved.enter;
    ++moved.leave;
  }
  for (uint32_t above = parent; above != kNone; above = nodes_[above].parent) ++nodes_[above].leave;
}

void DominatorTree::AddLeaf(uint32_t node, uint32_t parent) {
  if (!Reached(parent)) return;
  const uint32_t place = nodes_[parent].leave;
  Insert(node, parent, place);
  nodes_[node] = {parent, nodes_[parent].depth + 1, place, place + 1};
}

void DominatorTree::AddBetween(uint32_t node, uint32_t above) {
  if (!Reached(above)) return;
  const uint32_t place = nodes_[above].enter + 1;
  Insert(node, above, place);
  nodes_[node] = {above, nodes_[above].depth + 1, place, nodes_[above].leave};
  for (uint32_t i = place + 1; i < nodes_[above].leave; ++i) {
    Node& below = nodes_[preorder_[i]];
    ++below.depth;
    if (below.parent == above) below.parent = node;
  }
}

void DominatorTree::Reparent(const std::vector<uint32_t>& moved, uint32_t parent) {
  if (moved.empty()) return;
  for (uint32_t node : moved) nodes_[node].parent = parent;
  // As in the constructor, but only for the subtree of `parent` and with positions in its old
  // preorder. There, parents come before children in the new tree too, because nodes only move up.
  const uint32_t first = nodes_[parent].enter, count = nodes_[parent].leave - first;
  const std::vector<uint32_t> old(preorder_.begin() + first, preorder_.begin() + first + count);
  const auto parent_of = [&](uint32_t i) { return nodes_[nodes_[old[i]].parent].enter - first; };
  std::vector<uint32_t> size(count, 1), place(count, 0), next(count, 1);
  for (uint32_t i = count; i-- > 1;) size[parent_of(i)] += size[i];
  for (uint32_t i = 1; i < count; ++i) {
    const uint32_t p = parent_of(i);
    place[i] = next[p];
    next[p] += size[i];
    next[i] = place[i] + 1;
    nodes_[old[i]].depth = nodes_[old[p]].depth + 1;
  }
  for (uint32_t i = 0; i < count; ++i) {
    nodes_[old[i]].enter = first + place[i];
    nodes_[old[i]].leave = first + place[i] + size[i];
    preorder_[first + place[i]] = old[i];
  }
}

void DominatorTree::Dissolve(uint32_t node) {
  if (!Reached(node)) return;
  const Node gone = nodes_[node];
  for (uint32_t i = gone.enter + 1; i < gone.leave; ++i) {
    Node& below = nodes_[preorder_[i]];
    --below.depth;
    if (below.parent == node) below.parent = gone.parent;
  }
  preorder_.erase(preorder_.begin() + gone.enter);
  for (size_t i = gone.enter; i < preorder_.size(); ++i) {
    Node& moved = nodes_[preorder_[i]];
    --moved.enter;
    --moved.leave;
  }
  for (uint32_t above = gone.parent; above != kNone; above = nodes_[above].parent) {
    --nodes_[above].leave;
  }
  nodes_[node] = {};
}

void DominatorTree::DropNode(uint32_t node) {
  const uint32_t last = static_cast<uint32_t>(nodes_.size() - 1);
  if (node != last && Reached(last)) {
    const Node& moved = nodes_[last];
    preorder_[moved.enter] = node;
    for (uint32_t i = moved.enter + 1; i < moved.leave; ++i) {
      Node& below = nodes_[preorder_[i]];
      if (below.parent == last) below.parent = node;
    }
  }
  nodes_[node] = nodes_[last];
  nodes_.pop_back();
}

}  // namespace ir
}  // namespace refract
