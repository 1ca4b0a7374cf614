// SPDX-License-Identifier: Apache-2.0
// Makes the tree that a cut leaves (cuts.h).
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "cfg/cuts.h"
#include "cfg/switch_shapes.h"

namespace refract::cfg {
namespace {

// The kind of a chain, which decides how its last node may end; and what surrounds the chain.
enum class Level : uint8_t { kFunction, kArm, kPrefix, kBody, kContinue, kCase, kFalling };
struct Surroundings {
  Level level = Level::kFunction;
  bool may_end = true, in_switch = false, in_loop = false;
};

Surroundings Inside(Surroundings around, Level level) {
  around.level = level;
  return around;
}

// Returns the edge by which the last node of a chain must leave it; kNext if any exit will do.
EdgeKind Onward(Level level) {
  switch (level) {
    case Level::kPrefix:
      return EdgeKind::kJoin;
    case Level::kContinue:
      return EdgeKind::kHeader;
    case Level::kFalling:
      return EdgeKind::kFall;
    default:
      return EdgeKind::kNext;
  }
}
bool IsOnward(EdgeKind edge) {
  return edge == EdgeKind::kNext || edge == EdgeKind::kJoin || edge == EdgeKind::kFall ||
         edge == EdgeKind::kHeader;
}

// A node of the new tree: a node of the old tree, or a new plain one.
struct Item {
  uint32_t at = 0;
  bool plain = false;  // a header that becomes a plain node, or a new node
};

class Cutter {
 public:
  Cutter(const Tree& tree, const Cut& cut) : tree_(tree), cut_(cut) {
    made_.nodes.reserve(tree.nodes.size() + 1);
    for (uint32_t at = 0; at < tree.size();) {
      const bool gone = cut.kind == CutKind::kChain && cut.at == at;
      if (!gone) Chain(at, {});
      at = tree.ChainEnd(at);
    }
  }
  Tree Take() { return std::move(made_); }

 private:
  bool Is(CutKind kind, uint32_t at) const { return cut_.kind == kind && cut_.at == at; }

  void Chain(uint32_t start, const Surroundings& around) {
    std::vector<Item> items;
    Collect(start, &items);
    Emit(items, around);
  }
  void Emit(std::vector<Item> items, const Surroundings& around) {
    // A construct is followed by its merge block, so a chain cannot end with a construct.
    if (!items.back().plain && tree_.nodes[items.back().at].kind != NodeKind::kPlain) {
      items.push_back({items.back().at, true});
    }
    if (around.level == Level::kFunction && made_.nodes.empty() && IsLoop(items.front())) {
      items.insert(items.begin(), {0, true});  // no branch may lead to the entry block
    }
    for (size_t i = 0; i < items.size(); ++i) {
      const Node& node = tree_.nodes[items[i].at];
      const bool last = i + 1 == items.size();
      if (items[i].plain) {
        Plain(nullptr, last, around);
      } else if (node.kind == NodeKind::kPlain) {
        const Node rest = WithoutEdge(items[i].at);
        Plain(&rest, last, around);
      } else {
        Construct(items[i].at, around);
      }
    }
  }
  bool IsLoop(const Item& item) const {
    return !item.plain && tree_.nodes[item.at].kind == NodeKind::kLoop;
  }

  // Collects the nodes of a chain after the cut. Returns false if the cut removes the end of the
  // chain.
  bool Collect(uint32_t start, std::vector<Item>* items) const {
    const uint32_t end = tree_.ChainEnd(start);
    for (uint32_t at = start; at < end; at += tree_.nodes[at].size) {
      if (cut_.kind == CutKind::kRun && cut_.at <= at && at < cut_.which) continue;
      if (Is(CutKind::kHoist, at) || Is(CutKind::kHoistEnd, at)) {
        for (uint32_t inside : Hoisted(at)) Collect(inside, items);
        if (cut_.kind == CutKind::kHoistEnd) return false;
        continue;
      }
      items->push_back({at, Is(CutKind::kFlatten, at)});
      const bool last_edge = Is(CutKind::kEdge, at) && tree_.nodes[at].kind == NodeKind::kPlain &&
                             tree_.nodes[at].edges[cut_.which] == EdgeKind::kNext;
      if (Is(CutKind::kEnd, at) || last_edge) return false;
    }
    return true;
  }
  std::vector<uint32_t> Hoisted(uint32_t at) const {
    const Node& node = tree_.nodes[at];
    const std::vector<uint32_t> starts = tree_.Chains(at);
    std::vector<uint32_t> chains{starts.at(cut_.which)};
    if (node.joins && starts.size() > 1 && cut_.which + 1 < starts.size()) {
      chains.push_back(starts.back());
    }
    return chains;
  }

  Node WithoutEdge(uint32_t at) const {
    Node node = tree_.nodes[at];
    if (Is(CutKind::kEdge, at)) {
      node.edges[0] = node.edges[1 - cut_.which];
      node.edge_count = 1;
    }
    return node;
  }

  static bool MayExit(EdgeKind edge, const Surroundings& around) {
    switch (edge) {
      case EdgeKind::kSelection:
        return around.level == Level::kArm || around.level == Level::kPrefix;
      case EdgeKind::kSwitch:
        return around.in_switch;
      case EdgeKind::kBreak:
      case EdgeKind::kContinue:
        return around.in_loop;
      default:
        return false;
    }
  }

  // Adds a plain node with those edges of `old` (may be null) whose targets still exist.
  void Plain(const Node* old, bool last, const Surroundings& around) {
    const EdgeKind onward = last ? Onward(around.level) : EdgeKind::kNext;
    const bool goes_on = !last || onward != EdgeKind::kNext;
    const uint32_t count = old == nullptr ? 0 : old->edge_count;
    const auto there = [&](EdgeKind edge) {
      const bool behind =
          onward == EdgeKind::kHeader && edge == EdgeKind::kBreak && old->Has(EdgeKind::kHeader);
      return IsOnward(edge) ? goes_on : behind || MayExit(edge, around);
    };
    // If the chain must continue and none of the edges continues it, one of them is changed: one
    // that led to the merge block, or one whose target is gone.
    uint32_t chosen = count, best = 4;
    for (uint32_t i = 0; i < count && goes_on; ++i) {
      const uint32_t rank = IsOnward(old->edges[i])                 ? 0
                            : old->edges[i] == EdgeKind::kSelection ? 1
                            : !there(old->edges[i])                 ? 2
                                                                    : 3;
      if (rank < best) {
        chosen = i;
        best = rank;
      }
    }
    Node made;
    for (uint32_t i = 0; i < count; ++i) {
      const EdgeKind edge = old->edges[i];
      if (i == chosen || (there(edge) && IsOnward(edge))) {
        made.edges[made.edge_count++] = onward;
      } else if (there(edge)) {
        made.edges[made.edge_count++] = edge;
      }
    }
    if (goes_on && count == 0) made.edges[made.edge_count++] = onward;
    const bool were_equal = count == 2 && old->edges[0] == old->edges[1];
    const bool may_be_equal = were_equal && made.edges[0] != EdgeKind::kHeader;
    if (made.edge_count == 2 && made.edges[0] == made.edges[1] && !may_be_equal)
      made.edge_count = 1;
    const bool ended = old != nullptr && count == 0 && around.may_end;
    if (made.edge_count == 0 && !ended) Default(around, &made);
    made_.nodes.push_back(made);
  }
  // Sets how a chain ends if nothing else decides it.
  static void Default(const Surroundings& around, Node* made) {
    made->edge_count = 1;
    if (MayExit(EdgeKind::kSelection, around)) {
      made->edges[0] = EdgeKind::kSelection;
    } else if (around.in_switch) {
      made->edges[0] = EdgeKind::kSwitch;
    } else if (around.in_loop) {
      made->edges[0] = EdgeKind::kContinue;
    } else {
      CHECK(around.may_end);
      made->edge_count = 0;
    }
  }

  void Construct(uint32_t at, const Surroundings& around) {
    switch (tree_.nodes[at].kind) {
      case NodeKind::kSelection:
        return Selection(at, around);
      case NodeKind::kLoop:
        return Loop(at, around);
      default:
        return Switch(at, around);
    }
  }
  uint32_t Begin(const Node& node) {
    made_.nodes.push_back(node);
    return made_.size() - 1;
  }
  void Finish(uint32_t header) { made_.nodes[header].size = made_.size() - header; }

  void Selection(uint32_t at, const Surroundings& around) {
    const Node& node = tree_.nodes[at];
    const Surroundings arm = Inside(around, Level::kArm);
    const std::vector<uint32_t> starts = tree_.Chains(at);
    // The chains of each edge, and the chain in which they join.
    std::vector<Item> chains[2], shared;
    uint32_t next = 0;
    for (size_t i = 0; i < 2; ++i) {
      if (node.edges[i] == EdgeKind::kArm) Collect(starts.at(next++), &chains[i]);
    }
    if (node.joins) Collect(starts.back(), &shared);
    bool joins = node.joins;
    Node made = node;
    for (EdgeKind& edge : made.edges) {
      const bool exit = edge != EdgeKind::kArm && edge != EdgeKind::kJoin;
      if (exit && !MayExit(edge, arm)) edge = EdgeKind::kSelection;
    }
    if (Is(CutKind::kArm, at) && !joins) {
      chains[cut_.which].clear();
      made.edges[cut_.which] = EdgeKind::kSelection;
    } else if (Is(CutKind::kArm, at)) {
      std::vector<Item>& other = chains[1 - cut_.which];
      other.insert(other.end(), shared.begin(), shared.end());
      chains[cut_.which].clear();
      made.edges[cut_.which] = EdgeKind::kSelection;
      made.edges[1 - cut_.which] = EdgeKind::kArm;
      joins = false;
    } else if (Is(CutKind::kPrefix, at)) {
      chains[cut_.which].clear();
      made.edges[cut_.which] = EdgeKind::kJoin;
    } else if (Is(CutKind::kJoin, at)) {
      for (size_t i = 0; i < 2; ++i) {
        if (made.edges[i] == EdgeKind::kJoin) made.edges[i] = EdgeKind::kSelection;
      }
      joins = false;
    }
    made.joins = joins;
    const bool equal = made.edges[0] == made.edges[1] && made.edges[0] != EdgeKind::kArm;
    if (equal && node.edges[0] != node.edges[1]) {  // a new block keeps the two edges different
      made.edges[0] = EdgeKind::kArm;
      chains[0].push_back({at, true});
    }
    const uint32_t header = Begin(made);
    for (const std::vector<Item>& chain : chains) {
      if (!chain.empty()) Emit(chain, joins ? Inside(around, Level::kPrefix) : arm);
    }
    if (joins) Emit(shared, arm);
    Finish(header);
  }

  void Loop(uint32_t at, const Surroundings& around) {
    Node node = tree_.nodes[at];
    const std::vector<uint32_t> starts = tree_.Chains(at);
    if (Is(CutKind::kSingle, at)) {
      node.edges[0] = EdgeKind::kHeader;
      node.edges[1] = EdgeKind::kBreak;
      node.edge_count = 2;
      node.size = 1;
      Begin(node);
      return;
    }
    bool body = node.Has(EdgeKind::kArm);
    if (Is(CutKind::kEdge, at)) {
      node.edges[0] = node.edges[1 - cut_.which];
      node.edge_count = 1;
    } else if (Is(CutKind::kBody, at)) {
      body = false;
      for (EdgeKind& edge : node.edges) edge = edge == EdgeKind::kArm ? EdgeKind::kContinue : edge;
      if (node.edge_count == 2 && node.edges[0] == node.edges[1]) node.edge_count = 1;
    }
    const uint32_t header = Begin(node);
    if (body) Chain(starts.front(), {Level::kBody, around.may_end, false, true});
    if (!node.is_single_block_loop()) {
      Chain(starts.back(), {Level::kContinue, false, false, false});
    }
    Finish(header);
  }

  void Switch(uint32_t at, const Surroundings& around) {
    const Node& node = tree_.nodes[at];
    SwitchShape shape;
    for (uint32_t i = 0; i < node.label_count; ++i) shape.labels.push_back(tree_.Label(node, i));
    for (uint32_t i = 1; i <= node.case_count; ++i) shape.falls.push_back(tree_.Fall(node, i));
    if (Is(CutKind::kCase, at)) {
      DropCase(static_cast<uint16_t>(cut_.which + 1), &shape);
    } else if (Is(CutKind::kLabel, at)) {
      shape.labels.erase(shape.labels.begin() + cut_.which);
    } else if (Is(CutKind::kFall, at)) {
      shape.falls[cut_.which] = 0;
    }
    // Renumber the cases in the order in which their labels now first appear, without those that
    // are gone.
    std::vector<uint16_t> number(node.case_count + 1u, 0), order, falls;
    for (uint16_t& label : shape.labels) {
      if (label != 0 && number[label] == 0) {
        order.push_back(label);
        number[label] = static_cast<uint16_t>(order.size());
      }
      label = number[label];
    }
    const std::vector<uint32_t> starts = tree_.Chains(at);
    std::vector<std::vector<Item>> cases(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      const bool whole = Collect(starts.at(order[i] - 1u), &cases[i]);
      const bool falls_on = whole && WithoutEdge(cases[i].back().at).Has(EdgeKind::kFall);
      falls.push_back(falls_on ? number[shape.falls[order[i] - 1u]] : uint16_t{0});
    }
    if (!FallsInOrder(shape.labels, falls)) falls.assign(falls.size(), 0);
    Node made = node;
    made.label_count = static_cast<uint16_t>(shape.labels.size());
    made.case_count = static_cast<uint16_t>(order.size());
    made.list = static_cast<uint32_t>(made_.lists.size());
    made_.lists.insert(made_.lists.end(), shape.labels.begin(), shape.labels.end());
    made_.lists.insert(made_.lists.end(), falls.begin(), falls.end());
    const uint32_t header = Begin(made);
    for (size_t i = 0; i < cases.size(); ++i) {
      Surroundings inside = Inside(around, falls[i] != 0 ? Level::kFalling : Level::kCase);
      inside.in_switch = true;
      Emit(cases[i], inside);
    }
    Finish(header);
  }
  static void DropCase(uint16_t number, SwitchShape* shape) {
    for (uint16_t& fall : shape->falls) fall = fall == number ? uint16_t{0} : fall;
    if (shape->labels[0] == number) shape->labels[0] = 0;
    std::erase(shape->labels, number);
  }

  const Tree& tree_;
  const Cut& cut_;
  Tree made_;
};

}  // namespace

Tree MakeCut(const Tree& tree, const Cut& cut) {
  return Cutter(tree, cut).Take();
}

}  // namespace refract::cfg
