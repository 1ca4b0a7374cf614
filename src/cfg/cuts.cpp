// SPDX-License-Identifier: Apache-2.0
#include "cfg/cuts.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/random.h"

namespace refract::cfg {
namespace {

uint32_t CountEdges(const Tree& tree) {
  uint32_t edges = 0;
  for (const Node& node : tree.nodes) {
    edges += node.kind == NodeKind::kSwitch ? node.label_count : node.edge_count;
    edges += node.kind == NodeKind::kPlain ? 0 : node.kind == NodeKind::kLoop ? 2 : 1;
  }
  return edges;
}

uint64_t HashOf(const Tree& tree) {
  uint64_t hash = tree.size();
  for (const Node& node : tree.nodes) {
    hash = Mix(hash, static_cast<uint64_t>(node.kind) << 56 | uint64_t{node.joins} << 48 |
                         uint64_t{node.edge_count} << 40 | uint64_t{node.size});
    for (uint32_t i = 0; i < node.edge_count; ++i) {
      hash = Mix(hash, static_cast<uint64_t>(node.edges[i]));
    }
    for (uint32_t i = 0; i < node.label_count + node.case_count; ++i) {
      hash = Mix(hash, tree.lists[node.list + i]);
    }
  }
  return hash;
}

class Lister {
 public:
  explicit Lister(const Tree& tree) : tree_(tree), edges_(CountEdges(tree)) {
    seen_.insert(HashOf(tree));
    for (uint32_t at = 0; at < tree.size(); at = tree.ChainEnd(at)) {
      if (at != 0) Add(CutKind::kChain, at, 0);
      Chain(at);
    }
  }
  std::vector<Cut> Take() {
    std::stable_sort(cuts_.begin(), cuts_.end(), [](const Cut& a, const Cut& b) {
      return std::tie(a.blocks, a.edges) < std::tie(b.blocks, b.edges);
    });
    return std::move(cuts_);
  }

 private:
  void Add(CutKind kind, uint32_t at, uint32_t which) {
    Cut cut{kind, at, which};
    const Tree made = MakeCut(tree_, cut);
    cut.blocks = made.size();
    cut.edges = CountEdges(made);
    if (std::tie(cut.blocks, cut.edges) >= std::make_tuple(tree_.size(), edges_)) return;
    if (seen_.insert(HashOf(made)).second) cuts_.push_back(cut);
  }

  void Chain(uint32_t start) {
    const uint32_t end = tree_.ChainEnd(start);
    std::vector<uint32_t> nodes;
    for (uint32_t at = start; at < end; at += tree_.nodes[at].size) nodes.push_back(at);
    // All nodes but the last, then halves of them, quarters and so on.
    const size_t count = nodes.size() - 1;
    for (size_t run = count; run > 0; run /= 2) {
      for (size_t i = 0; i < count; i += run) {
        Add(CutKind::kRun, nodes[i], nodes[std::min(i + run, count)]);
      }
    }
    for (uint32_t at : nodes) {
      const Node& node = tree_.nodes[at];
      if (at + node.size != end) Add(CutKind::kEnd, at, 0);
      if (node.kind == NodeKind::kPlain || node.kind == NodeKind::kLoop) CutEdges(at);
      if (node.kind != NodeKind::kPlain) Construct(at);
    }
  }
  void CutEdges(uint32_t at) {
    const Node& node = tree_.nodes[at];
    for (uint32_t i = 0; node.edge_count == 2 && i < 2; ++i) {
      const EdgeKind edge = node.edges[i];
      const bool equal = node.edges[0] == node.edges[1];
      if (equal ||
          (edge != EdgeKind::kArm && edge != EdgeKind::kHeader && edge != EdgeKind::kJoin)) {
        Add(CutKind::kEdge, at, i);
      }
    }
  }
  void Construct(uint32_t at) {
    const Node& node = tree_.nodes[at];
    const std::vector<uint32_t> starts = tree_.Chains(at);
    Add(CutKind::kFlatten, at, 0);
    for (uint32_t i = 0; i < starts.size(); ++i) {
      Add(CutKind::kHoist, at, i);
      Add(CutKind::kHoistEnd, at, i);
    }
    switch (node.kind) {
      case NodeKind::kSelection:
        for (uint32_t i = 0; i < 2; ++i) {
          if (node.joins || node.edges[i] == EdgeKind::kArm) Add(CutKind::kArm, at, i);
          if (node.joins && node.edges[1 - i] == EdgeKind::kArm) Add(CutKind::kPrefix, at, i);
        }
        if (node.joins) Add(CutKind::kJoin, at, 0);
        break;
      case NodeKind::kLoop:
        if (node.Has(EdgeKind::kArm)) Add(CutKind::kBody, at, 0);
        if (!node.is_single_block_loop()) Add(CutKind::kSingle, at, 0);
        break;
      default:
        Switch(at);
    }
    for (uint32_t start : starts) Chain(start);
  }
  void Switch(uint32_t at) {
    const Node& node = tree_.nodes[at];
    std::vector<uint32_t> times(node.case_count + 1u, 0);
    for (uint32_t i = 0; i < node.label_count; ++i) ++times[tree_.Label(node, i)];
    for (uint32_t i = 0; i < node.case_count; ++i) {
      Add(CutKind::kCase, at, i);
      if (tree_.Fall(node, i + 1) != 0) Add(CutKind::kFall, at, i);
    }
    for (uint32_t i = 1; i < node.label_count; ++i) {
      const uint32_t label = tree_.Label(node, i);
      if (label == 0 || times[label] > 1) Add(CutKind::kLabel, at, i);
    }
  }

  const Tree& tree_;
  const uint32_t edges_;
  std::vector<Cut> cuts_;
  std::set<uint64_t> seen_;  // hashes of the trees that cuts make
};

}  // namespace

std::vector<Cut> ListCuts(const Tree& tree) {
  return Lister(tree).Take();
}

}  // namespace refract::cfg
