// SPDX-License-Identifier: Apache-2.0
#include "cfg/tree.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace refract::cfg {

uint32_t Tree::ChainEnd(uint32_t at) const {
  for (;;) {
    CHECK(at < nodes.size());
    const Node& node = nodes[at];
    at += node.size;
    if (node.kind == NodeKind::kPlain && !node.Has(EdgeKind::kNext)) return at;
  }
}

std::vector<uint32_t> Tree::Chains(uint32_t header) const {
  std::vector<uint32_t> starts;
  const uint32_t end = header + nodes[header].size;
  for (uint32_t at = header + 1; at < end; at = ChainEnd(at)) starts.push_back(at);
  return starts;
}

bool operator==(const Tree& a, const Tree& b) {
  if (a.size() != b.size()) return false;
  for (uint32_t i = 0; i < a.size(); ++i) {
    const Node &x = a.nodes[i], &y = b.nodes[i];
    if (x.kind != y.kind || x.edge_count != y.edge_count || x.joins != y.joins ||
        x.label_count != y.label_count || x.case_count != y.case_count || x.size != y.size ||
        !std::equal(x.edges, x.edges + x.edge_count, y.edges)) {
      return false;
    }
    const auto list = a.lists.begin() + x.list;
    if (!std::equal(list, list + x.label_count + x.case_count, b.lists.begin() + y.list)) {
      return false;
    }
  }
  return true;
}

namespace {

// The blocks to which the edges that leave a chain lead.
struct Around {
  uint32_t join = kNoBlock, selection = kNoBlock, a_switch = kNoBlock, merge = kNoBlock,
           target = kNoBlock, fall = kNoBlock, header = kNoBlock;
};

class GraphMaker {
 public:
  GraphMaker(const Tree& tree, Graph* graph) : tree_(tree), graph_(*graph) {
    graph_.Clear();
    graph_.blocks.resize(tree.size());
    graph_.targets.reserve(2 * tree.nodes.size() + tree.lists.size());
    for (uint32_t at = 0; at < tree.size();) at = Chain(at, {});
  }

 private:
  // Makes the blocks of a chain. Returns the position after it.
  uint32_t Chain(uint32_t at, const Around& around) {
    for (;;) {
      CHECK(at < tree_.size());
      const Node& node = tree_.nodes[at];
      switch (node.kind) {
        case NodeKind::kPlain:
          Begin(at, node.edge_count);
          for (uint32_t i = 0; i < node.edge_count; ++i) Add(To(node.edges[i], around, at + 1));
          if (!node.Has(EdgeKind::kNext)) return at + 1;
          break;
        case NodeKind::kSelection:
          Selection(at, around);
          break;
        case NodeKind::kLoop:
          Loop(at);
          break;
        case NodeKind::kSwitch:
          Switch(at, around);
          break;
      }
      at += node.size;
    }
  }

  // Prepares a block for `count` calls of Add. Returns the position of its first target.
  uint32_t Begin(uint32_t at, uint32_t count) {
    graph_.blocks[at].first_target = static_cast<uint32_t>(graph_.targets.size());
    graph_.blocks[at].target_count = count;
    return graph_.blocks[at].first_target;
  }
  void Add(uint32_t to) {
    CHECK(to < tree_.size());
    graph_.targets.push_back(to);
  }
  static uint32_t To(EdgeKind edge, const Around& around, uint32_t next) {
    switch (edge) {
      case EdgeKind::kNext:
      case EdgeKind::kArm:
        return next;
      case EdgeKind::kJoin:
        return around.join;
      case EdgeKind::kSelection:
        return around.selection;
      case EdgeKind::kSwitch:
        return around.a_switch;
      case EdgeKind::kBreak:
        return around.merge;
      case EdgeKind::kContinue:
        return around.target;
      case EdgeKind::kFall:
        return around.fall;
      case EdgeKind::kHeader:
        return around.header;
    }
    return kNoBlock;
  }

  void Selection(uint32_t at, const Around& around) {
    const Node& node = tree_.nodes[at];
    Around inside = around;
    graph_.blocks[at].merge = inside.selection = at + node.size;
    inside.fall = inside.join = inside.header = kNoBlock;
    uint32_t start[2], end = at + 1;  // the targets of the edges
    for (uint32_t i = 0; i < 2; ++i) {
      start[i] = end;
      if (node.edges[i] == EdgeKind::kArm && (node.joins || i == 0)) end = tree_.ChainEnd(end);
    }
    if (node.joins) inside.join = end;
    Begin(at, 2);
    for (uint32_t i = 0; i < 2; ++i) Add(To(node.edges[i], inside, start[i]));
    if (node.joins) Chain(end, WithoutJoin(inside));
    for (uint32_t i = 0; i < 2; ++i) {
      if (node.edges[i] == EdgeKind::kArm) Chain(start[i], inside);
    }
  }
  static Around WithoutJoin(Around around) {
    around.join = kNoBlock;
    return around;
  }

  void Loop(uint32_t at) {
    const Node& node = tree_.nodes[at];
    const uint32_t merge = at + node.size;
    uint32_t target = at;
    if (!node.is_single_block_loop()) target = at + 1;
    if (node.Has(EdgeKind::kArm)) target = tree_.ChainEnd(at + 1);
    graph_.blocks[at].merge = merge;
    graph_.blocks[at].continue_target = target;
    Around own;
    own.merge = merge;
    own.target = target;
    own.header = at;
    Begin(at, node.edge_count);
    for (uint32_t i = 0; i < node.edge_count; ++i) Add(To(node.edges[i], own, at + 1));
    if (node.Has(EdgeKind::kArm)) {
      Around body;
      body.merge = merge;
      body.target = target;
      Chain(at + 1, body);
    }
    if (target == at) return;
    Around back;
    back.merge = merge;
    back.header = at;
    Chain(target, back);
  }

  void Switch(uint32_t at, const Around& around) {
    const Node& node = tree_.nodes[at];
    const uint32_t merge = at + node.size;
    graph_.blocks[at].merge = merge;
    graph_.blocks[at].is_switch = true;
    Around inside = around;
    inside.selection = inside.join = inside.fall = inside.header = kNoBlock;
    inside.a_switch = merge;
    // Cases are numbered in the order of their first labels, so each new number stands for the next
    // chain.
    const uint32_t labels = Begin(at, node.label_count);
    uint32_t start = at + 1, cases = 0;
    for (uint32_t i = 0; i < node.label_count; ++i) {
      const uint32_t label = tree_.Label(node, i);
      if (label <= cases) {
        Add(label == 0 ? merge : StartOf(node, labels, label));
        continue;
      }
      CHECK(label == ++cases);
      Add(start);
      start = tree_.ChainEnd(start);
    }
    start = at + 1;
    for (uint32_t i = 1; i <= node.case_count; ++i) {
      const uint32_t fall = tree_.Fall(node, i);
      inside.fall = fall == 0 ? kNoBlock : StartOf(node, labels, fall);
      start = Chain(start, inside);
    }
  }
  // Returns the first block of a case that an earlier label has. `labels` is the position of the
  // first label.
  uint32_t StartOf(const Node& node, uint32_t labels, uint32_t number) const {
    uint32_t i = 0;
    while (tree_.Label(node, i) != number) ++i;
    return graph_.targets[labels + i];
  }

  const Tree& tree_;
  Graph& graph_;
};

}  // namespace

void MakeGraph(const Tree& tree, Graph* graph) {
  GraphMaker(tree, graph);
}

Graph MakeGraph(const Tree& tree) {
  Graph graph;
  MakeGraph(tree, &graph);
  return graph;
}

namespace {

constexpr const char* kEdgeKindNames[] = {"next",  "arm",      "join", "selection", "switch",
                                          "break", "continue", "fall", "header"};

class TreeWriter {
 public:
  explicit TreeWriter(const Tree& tree) : tree_(tree) {
    for (uint32_t at = 0; at < tree.size();) {
      if (at != 0) text += "; ";
      at = Chain(at);
    }
  }
  std::string text;

 private:
  uint32_t Chain(uint32_t at) {
    for (;;) {
      const Node& node = tree_.nodes[at];
      Head(at);
      if (node.kind != NodeKind::kPlain) Inside(at);
      at += node.size;
      if (node.kind == NodeKind::kPlain && !node.Has(EdgeKind::kNext)) return at;
      text += ' ';
    }
  }
  void Head(uint32_t at) {
    const Node& node = tree_.nodes[at];
    constexpr const char* kKinds[] = {"", "if ", "loop ", "switch "};
    text += kKinds[static_cast<size_t>(node.kind)];
    if (node.kind == NodeKind::kSwitch) {
      for (uint32_t i = 0; i < node.label_count; ++i) {
        text += format("{}{}", i == 0 ? "" : ",", tree_.Label(node, i));
      }
      return;
    }
    if (node.edge_count == 0) text += "end";
    for (uint32_t i = 0; i < node.edge_count; ++i) {
      text += format("{}{}", i == 0 ? "" : ",", kEdgeKindNames[static_cast<size_t>(node.edges[i])]);
    }
  }
  void Inside(uint32_t at) {
    const uint32_t end = at + tree_.nodes[at].size;
    text += " {";
    for (uint32_t child = at + 1, i = 1; child < end; ++i) {
      if (i > 1) text += " | ";
      child = Chain(child);
      const Node& node = tree_.nodes[at];
      if (node.kind == NodeKind::kSwitch && tree_.Fall(node, i) != 0) {
        text += format(" to {}", tree_.Fall(node, i));
      }
    }
    text += "}";
  }

  const Tree& tree_;
};

}  // namespace

std::string TreeText(const Tree& tree) {
  return TreeWriter(tree).text;
}

}  // namespace refract::cfg
