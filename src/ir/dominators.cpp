// SPDX-License-Identifier: Apache-2.0
#include "ir/dominators.h"

#include <algorithm>

namespace refract {
namespace {

std::vector<uint32_t> Postorder(const Graph& graph, uint32_t root) {
  std::vector<uint32_t> order;
  std::vector<uint8_t> seen(graph.size(), 0);
  std::vector<std::pair<uint32_t, uint32_t>> stack{{root, 0}};  // node, next edge
  seen[root] = 1;
  while (!stack.empty()) {
    const uint32_t node = stack.back().first;
    const auto edges = graph.From(node);
    if (stack.back().second == edges.size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    const uint32_t target = edges[stack.back().second++];
    if (!seen[target]) {
      seen[target] = 1;
      stack.emplace_back(target, 0);
    }
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

DominatorTree::DominatorTree(const Graph& graph, uint32_t root) {
  const uint32_t n = graph.size();
  parent_.assign(n, kNone);
  depth_.assign(n, 0);
  enter_.assign(n, kNone);
  leave_.assign(n, kNone);
  const Graph reversed = graph.Reversed();
  const std::vector<uint32_t> postorder = Postorder(graph, root);
  std::vector<uint32_t> number(n, kNone);
  for (uint32_t i = 0; i < postorder.size(); ++i) number[postorder[i]] = i;

  parent_[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = postorder.rbegin(); it != postorder.rend(); ++it) {
      if (*it == root) continue;
      uint32_t best = kNone;
      for (uint32_t source : reversed.From(*it)) {
        if (number[source] == kNone || parent_[source] == kNone) continue;
        if (best == kNone) {
          best = source;
          continue;
        }
        uint32_t other = source;
        while (best != other) {
          while (number[best] < number[other]) best = parent_[best];
          while (number[other] < number[best]) other = parent_[other];
        }
      }
      if (parent_[*it] != best) {
        parent_[*it] = best;
        changed = true;
      }
    }
  }
  parent_[root] = kNone;

  // Children in reverse postorder, then entry and exit times by a walk of the tree.
  Graph tree;
  tree.begin.assign(n + 1, 0);
  for (uint32_t node : postorder) {
    if (parent_[node] != kNone) ++tree.begin[parent_[node] + 1];
  }
  for (uint32_t i = 0; i < n; ++i) tree.begin[i + 1] += tree.begin[i];
  tree.targets.resize(tree.begin[n]);
  std::vector<uint32_t> next(tree.begin.begin(), tree.begin.end() - 1);
  for (auto it = postorder.rbegin(); it != postorder.rend(); ++it) {
    if (parent_[*it] != kNone) tree.targets[next[parent_[*it]]++] = *it;
  }
  uint32_t clock = 0;
  std::vector<std::pair<uint32_t, uint32_t>> stack{{root, 0}};
  enter_[root] = clock++;
  preorder_.push_back(root);
  while (!stack.empty()) {
    const uint32_t node = stack.back().first;
    const auto children = tree.From(node);
    if (stack.back().second == children.size()) {
      leave_[node] = clock++;
      stack.pop_back();
      continue;
    }
    const uint32_t child = children[stack.back().second++];
    depth_[child] = depth_[node] + 1;
    enter_[child] = clock++;
    preorder_.push_back(child);
    stack.emplace_back(child, 0);
  }
}

uint32_t DominatorTree::CommonDominator(uint32_t a, uint32_t b) const {
  while (!Dominates(a, b)) a = parent_[a];
  return a;
}

}  // namespace refract
