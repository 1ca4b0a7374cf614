// SPDX-License-Identifier: Apache-2.0
#include "cfg/features.h"

#include <algorithm>

#include "base/suggest.h"
#include "base/text.h"

namespace refract::cfg {
namespace {

constexpr std::string_view kNames[] = {
    "blocks",      "headers", "loops", "selections", "switches",    "ends",     "exits",
    "conditional", "joins",   "falls", "depth",      "unreachable", "detached", "infinite",
};
static_assert(std::size(kNames) == static_cast<size_t>(Feature::kCount));

bool IsExit(NodeKind kind, EdgeKind edge) {
  if (edge == EdgeKind::kSwitch || edge == EdgeKind::kFall || edge == EdgeKind::kHeader)
    return true;
  if (edge == EdgeKind::kBreak || edge == EdgeKind::kContinue) return kind != NodeKind::kLoop;
  return edge == EdgeKind::kSelection && kind == NodeKind::kPlain;
}

// Counts the features that depend on single nodes.
void CountNodes(const Tree& tree, Features* features) {
  const auto add = [&](Feature feature, uint32_t count) {
    (*features)[static_cast<size_t>(feature)] += count;
  };
  std::vector<uint32_t> ends;  // ends of the surrounding constructs
  uint32_t& depth = (*features)[static_cast<size_t>(Feature::kDepth)];
  for (uint32_t at = 0; at < tree.size(); ++at) {
    const Node& node = tree.nodes[at];
    while (!ends.empty() && ends.back() <= at) ends.pop_back();
    for (uint32_t i = 0; i < node.edge_count; ++i) {
      add(Feature::kExits, IsExit(node.kind, node.edges[i]) ? 1 : 0);
    }
    if (node.kind == NodeKind::kPlain) {
      add(Feature::kEnds, node.edge_count == 0 ? 1 : 0);
      add(Feature::kConditional, node.edge_count == 2 ? 1 : 0);
      continue;
    }
    ends.push_back(at + node.size);
    depth = std::max(depth, static_cast<uint32_t>(ends.size()));
    add(Feature::kHeaders, 1);
    add(Feature::kLoops, node.kind == NodeKind::kLoop ? 1 : 0);
    add(Feature::kSelections, node.kind == NodeKind::kSelection ? 1 : 0);
    add(Feature::kSwitches, node.kind == NodeKind::kSwitch ? 1 : 0);
    add(Feature::kJoins, node.joins ? 1 : 0);
    for (uint32_t i = 1; i <= node.case_count; ++i) {
      add(Feature::kFalls, tree.Fall(node, i) != 0 ? 1 : 0);
    }
  }
}

// Returns the blocks from which branches lead to a block that ends the function.
std::vector<bool> ReachingAnEnd(const Graph& graph) {
  std::vector<bool> ends(graph.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t block = graph.size(); block-- > 0;) {
      if (ends[block]) continue;
      const auto to = graph.Targets(block);
      ends[block] = to.empty() ||
                    std::any_of(to.begin(), to.end(), [&](uint32_t next) { return ends[next]; });
      changed |= ends[block];
    }
  }
  return ends;
}

}  // namespace

std::string_view NameOf(Feature feature) {
  return kNames[static_cast<size_t>(feature)];
}

Features CountFeatures(const Tree& tree, const Graph& graph) {
  Features features = {};
  CountNodes(tree, &features);
  const std::vector<bool> reached = ReachedByBranches(graph), ending = ReachingAnEnd(graph);
  const std::vector<bool> structurally = StructurallyReached(graph);
  const auto count = [&](Feature feature, bool yes) {
    features[static_cast<size_t>(feature)] += yes ? 1 : 0;
  };
  for (uint32_t block = 0; block < graph.size(); ++block) {
    count(Feature::kBlocks, true);
    count(Feature::kUnreachable, !reached[block]);
    count(Feature::kDetached, !structurally[block]);
    count(Feature::kInfinite, graph.blocks[block].is_loop() && reached[block] && !ending[block]);
  }
  return features;
}

bool FeatureRanges::Has(const Features& features) const {
  for (size_t i = 0; i < features.size(); ++i) {
    if (features[i] < ranges[i].least || features[i] > ranges[i].most) return false;
  }
  return true;
}

Result<FeatureRanges> ReadWanted(std::span<const std::string> texts) {
  FeatureRanges wanted;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto known = std::find(std::begin(kNames), std::end(kNames), name);
    if (equals == std::string::npos || known == std::end(kNames)) {
      std::string names;
      for (std::string_view one : kNames) names += format(" {}", one);
      return Error{format("want: \"{}\" is not NAME=RANGE; known names:{}{}", text, names,
                          known == std::end(kNames) ? DidYouMean(name, kNames) : ""),
                   ErrorKind::kUsage};
    }
    const std::string range = text.substr(equals + 1);
    const size_t dots = range.find("..");
    const std::string low = range.substr(0, dots);
    const std::string high = dots == std::string::npos ? range : range.substr(dots + 2);
    uint64_t least = 0, most = std::numeric_limits<uint32_t>::max();
    const bool read = (dots != std::string::npos || !range.empty()) &&
                      (low.empty() || ParseNumber(low, &least)) &&
                      (high.empty() || ParseNumber(high, &most));
    if (!read || least > most || most > std::numeric_limits<uint32_t>::max()) {
      return Error{format("want: \"{}\": invalid range; write {}=2, {}=2.., {}=..4 or {}=2..4",
                          text, name, name, name, name),
                   ErrorKind::kUsage};
    }
    wanted.any = true;
    wanted.ranges[static_cast<size_t>(known - std::begin(kNames))] = {static_cast<uint32_t>(least),
                                                                      static_cast<uint32_t>(most)};
  }
  return wanted;
}

bool HasStraightTriple(const Graph& graph) {
  constexpr uint32_t kSeveral = kNoBlock - 1;
  // Allocated once for each thread, because this is called for millions of small graphs a second.
  thread_local std::vector<uint32_t> before, behind;
  before.assign(graph.size(), kNoBlock);
  behind.assign(graph.size(), kNoBlock);
  const auto note = [](uint32_t& only, uint32_t block) {
    only = only == kNoBlock || only == block ? block : kSeveral;
  };
  for (uint32_t block = 0; block < graph.size(); ++block) {
    graph.ForEachStructural(block, [&](uint32_t to) {
      if (to == block) return;
      note(behind[block], to);
      note(before[to], block);
    });
  }
  for (uint32_t a = 0; a < graph.size(); ++a) {
    const uint32_t b = behind[a];
    if (b >= kSeveral || before[b] != a) continue;
    const uint32_t c = behind[b];
    if (c < kSeveral && c != a && before[c] == b) return true;
  }
  return false;
}

bool IsVarious(const Tree& tree, const Graph& graph) {
  const auto loop = [](const Node& node) { return node.kind == NodeKind::kLoop; };
  if (std::none_of(tree.nodes.begin(), tree.nodes.end(), loop)) return false;
  uint32_t outermost = 0;
  while (tree.nodes[outermost].kind == NodeKind::kPlain) ++outermost;
  const GraphBlock& header = graph.blocks[outermost];
  if (header.is_loop() && graph.blocks[header.continue_target].is_header()) return false;
  return !HasStraightTriple(graph);
}

}  // namespace refract::cfg
