// SPDX-License-Identifier: Apache-2.0
#include "ir/dominators.h"

#include <algorithm>

namespace refract {
namespace {

constexpr uint32_t kUnseen = 0xffffffffu;

// The nodes that `root` reaches, in postorder.
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
  parent_.assign(n, kNone);
  depth_.assign(n, 0);
  enter_.assign(n, kNone);
  leave_.assign(n, kNone);
  const std::vector<uint32_t> postorder = Postorder(graph, root);
  const uint32_t reached = static_cast<uint32_t>(postorder.size());
  std::vector<uint32_t> number(n, kNone);  // in postorder; the root has the highest
  for (uint32_t i = 0; i < reached; ++i) number[postorder[i]] = i;

  // Numbers instead of nodes in here: a dominator has a higher one than what it dominates.
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

  // Sizes of subtrees from the leaves up, then places in the preorder from the root down; siblings
  // in reverse postorder.
  std::vector<uint32_t> size(reached, 1), next(reached, 0);
  for (uint32_t i = 0; i + 1 < reached; ++i) size[dominator[i]] += size[i];
  preorder_.resize(reached);
  for (uint32_t i = reached; i-- > 0;) {
    const uint32_t node = postorder[i];
    uint32_t place = 0;
    if (i != reached - 1) {
      const uint32_t parent = dominator[i];
      parent_[node] = postorder[parent];
      depth_[node] = depth_[postorder[parent]] + 1;
      place = next[parent];
      next[parent] += size[i];
    }
    next[i] = place + 1;
    enter_[node] = place;
    leave_[node] = place + size[i];
    preorder_[place] = node;
  }
}

uint32_t DominatorTree::CommonDominator(uint32_t a, uint32_t b) const {
  while (!Dominates(a, b)) a = parent_[a];
  return a;
}

}  // namespace refract
