// SPDX-License-Identifier: Apache-2.0
#include "cfg/parse.h"

#include <algorithm>

#include "base/text.h"
#include "cfg/grammar.h"
#include "cfg/switch_shapes.h"

namespace refract::cfg {
namespace {

// What is around a chain, as blocks.
struct Around {
  uint32_t join = kNoBlock, selection = kNoBlock, a_switch = kNoBlock;
  uint32_t merge = kNoBlock, target = kNoBlock;   // of the loop whose body this is in
  uint32_t header = kNoBlock, behind = kNoBlock;  // of the loop whose continue construct this is
  uint32_t case_of = kNoBlock, case_number = 0;   // of the switch whose case this is
  bool may_end = false;
};

class Parser {
 public:
  Parser(const Graph& graph, const ParseOptions& options)
      : graph_(graph),
        options_(options),
        claimed_(graph.size(), false),
        switch_of_(graph.size(), kNoBlock),
        number_(graph.size(), 0),
        mark_(graph.size(), 0) {}

  Result<ParsedGraph> Run() {
    Around function;
    function.may_end = true;
    if (graph_.blocks[0].is_loop()) return Fault(0, "is the entry block and a loop header");
    if (Status chain = Chain(0, function); !chain) return chain.error();
    const std::vector<bool> reached = StructurallyReached(graph_);
    for (uint32_t block = 0; block < graph_.size(); ++block) {
      if (claimed_[block] || (options_.ignore_unreachable && !reached[block])) continue;
      if (reached[block]) return Fault(block, "is in no chain");
      const uint32_t root = RootOf(block);
      if (Status chain = Chain(root, function); !chain) return chain.error();
      if (!claimed_[block]) return Fault(block, "cannot be reached and is in no chain");
    }
    return std::move(parsed_);
  }

 private:
  static Error Fault(uint32_t block, const std::string& what) {
    return Error{format("block {}: {}", block, what)};
  }
  const GraphBlock& At(uint32_t block) const { return graph_.blocks[block]; }

  // The chain that an unreachable block is in begins with the first block from which it is reached
  // and whose chain nothing outside of it goes to.
  uint32_t RootOf(uint32_t block) const {
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      if (claimed_[i]) continue;
      std::vector<bool> below(graph_.size(), false);
      std::vector<uint32_t> work{i};
      below[i] = true;
      while (!work.empty()) {
        const uint32_t at = work.back();
        work.pop_back();
        graph_.ForEachStructural(at, [&](uint32_t to) {
          if (!below[to] && !claimed_[to]) {
            below[to] = true;
            work.push_back(to);
          }
        });
      }
      bool entered = false;
      for (uint32_t from = 0; from < graph_.size(); ++from) {
        if (claimed_[from] || below[from]) continue;
        graph_.ForEachStructural(from, [&](uint32_t to) { entered |= below[to]; });
      }
      if (below[block] && !entered) return i;
    }
    return block;
  }

  // The way out of a chain that goes to this block; kNext if there is none.
  Way Exit(uint32_t to, const Around& around) const {
    if (to == around.selection) return Way::kSelection;
    if (to == around.a_switch) return Way::kSwitch;
    if (to == around.merge) return Way::kBreak;
    return to == around.target ? Way::kContinue : Way::kNext;
  }
  // The way from a plain block.
  Way WayTo(uint32_t to, const Around& around) const {
    if (to == around.join) return Way::kJoin;
    if (to == around.header) return Way::kHeader;
    if (to == around.behind) return Way::kBreak;
    const bool falls = around.case_number != 0 && switch_of_[to] == around.case_of &&
                       number_[to] != around.case_number;
    return falls ? Way::kFall : Exit(to, around);
  }

  Status Claim(uint32_t block) {
    if (claimed_[block]) {
      return Fault(block, "is gone to from where it is neither the next block nor a way out");
    }
    claimed_[block] = true;
    parsed_.tree.nodes.emplace_back();
    parsed_.blocks.push_back(block);
    return {};
  }

  Status Chain(uint32_t block, Around around) {
    if (++depth_ > 2 * kUnlimitedDepth) return Fault(block, "is nested too deep");
    for (;;) {
      if (Status claimed = Claim(block); !claimed) return claimed;
      const uint32_t at = parsed_.tree.size() - 1;
      if (!At(block).is_header()) {
        Result<uint32_t> next = Plain(block, at, around);
        if (!next) return next.error();
        if (*next == kNoBlock) break;
        block = *next;
        continue;
      }
      const Status inside = At(block).is_loop()   ? Loop(block, at, around)
                            : At(block).is_switch ? Switch(block, at, around)
                                                  : Selection(block, at, around);
      if (!inside) return inside;
      parsed_.tree.nodes[at].size = parsed_.tree.size() - at;
      block = At(block).merge;
      // What merge instructions declare is gone to from nowhere but the construct itself.
      if (WayTo(block, around) != Way::kNext) return Fault(block, "is declared by two constructs");
    }
    --depth_;
    return {};
  }

  // A block without merge instruction; returns the next one of the chain, if it goes on.
  Result<uint32_t> Plain(uint32_t block, uint32_t at, const Around& around) {
    const auto to = graph_.Targets(block);
    if (At(block).is_switch) return Fault(block, "is a switch without a merge block");
    Node& node = parsed_.tree.nodes[at];
    node.way_count = static_cast<uint8_t>(to.size());
    if (to.empty()) {
      if (!around.may_end) return Fault(block, "ends the function in a continue construct");
      if (around.join != kNoBlock) return Fault(block, "ends an arm before it meets the other one");
      return kNoBlock;
    }
    uint32_t next = kNoBlock, onward = 0;
    for (size_t i = 0; i < to.size(); ++i) {
      node.ways[i] = WayTo(to[i], around);
      const bool ahead =
          node.ways[i] == Way::kNext || node.ways[i] == Way::kJoin || node.ways[i] == Way::kFall;
      onward += ahead ? 1 : 0;
      if (node.ways[i] == Way::kNext) next = to[i];
    }
    const bool equal = to.size() == 2 && to[0] == to[1];
    if (equal && !options_.equal_labels) return Fault(block, "has equal labels");
    if (onward == 2 && !equal) {
      return Fault(block, "goes two ways that stay in its construct, and is no selection");
    }
    if (next != kNoBlock) {
      // In a continue construct the merge block of the loop is behind the last block alone.
      const bool back =
          node.Has(Way::kHeader) || to[0] == around.behind || to.back() == around.behind;
      if (back) return Fault(block, "goes on behind a back edge");
      return next;
    }
    if (around.header != kNoBlock && (!node.Has(Way::kHeader) || equal)) {
      return Fault(block, "ends a continue construct and is no back-edge block");
    }
    if (around.join != kNoBlock && !node.Has(Way::kJoin)) {
      return Fault(block, "ends an arm before it meets the other one");
    }
    if (node.Has(Way::kFall)) {
      const uint32_t to_case = number_[node.ways[0] == Way::kFall ? to[0] : to[1]];
      fall_ = to_case;
    }
    return kNoBlock;
  }

  Status Selection(uint32_t block, uint32_t at, const Around& around) {
    const auto to = graph_.Targets(block);
    if (to.size() != 2) return Fault(block, "is a selection header without two labels");
    if (to[0] == to[1] && !options_.equal_labels) return Fault(block, "has equal labels");
    Around inside = Inside(around);
    inside.selection = At(block).merge;
    const Way ways[2] = {Exit(to[0], inside), Exit(to[1], inside)};
    Node& node = parsed_.tree.nodes[at];
    node.kind = NodeKind::kSelection;
    node.way_count = 2;
    uint32_t join = kNoBlock;
    if (ways[0] == Way::kNext && ways[1] == Way::kNext) join = FindJoin(to[0], to[1], inside);
    node.joins = join != kNoBlock;
    for (size_t i = 0; i < 2; ++i) {
      node.ways[i] = ways[i] != Way::kNext ? ways[i] : to[i] == join ? Way::kJoin : Way::kArm;
    }
    const Node copy = node;  // chains add nodes
    Around arm = inside;
    arm.join = join;
    for (size_t i = 0; i < 2; ++i) {
      if (copy.ways[i] != Way::kArm) continue;
      if (Status chain = Chain(to[i], arm); !chain) return chain;
    }
    return join == kNoBlock ? Status() : Chain(join, inside);
  }
  // What a construct in a chain keeps of what is around that.
  static Around Inside(Around around) {
    around.join = around.header = around.behind = around.case_of = kNoBlock;
    around.case_number = 0;
    return around;
  }

  // The next node of a chain; kNoBlock where it ends or is none.
  uint32_t Onward(uint32_t block, const Around& around) const {
    if (At(block).is_header()) return At(block).merge;
    for (uint32_t to : graph_.Targets(block)) {
      if (Exit(to, around) == Way::kNext) return to;
    }
    return kNoBlock;
  }
  // Where the chains from two blocks meet: the first block of the second that is in the first.
  uint32_t FindJoin(uint32_t first, uint32_t second, const Around& around) {
    const uint32_t stamp = ++stamp_;
    for (uint32_t i = first; i != kNoBlock && mark_[i] != stamp; i = Onward(i, around)) {
      mark_[i] = stamp;
    }
    uint32_t at = second;
    for (uint32_t steps = 0; at != kNoBlock && steps < graph_.size(); ++steps) {
      if (mark_[at] == stamp) return at;
      at = Onward(at, around);
    }
    return kNoBlock;
  }

  Status Loop(uint32_t block, uint32_t at, const Around& around) {
    const auto to = graph_.Targets(block);
    const uint32_t merge = At(block).merge, target = At(block).continue_target;
    if (At(block).is_switch || to.empty())
      return Fault(block, "is a loop header that ends otherwise");
    const bool equal = to.size() == 2 && to[0] == to[1];
    if (equal && !options_.equal_labels) return Fault(block, "has equal labels");
    Node& node = parsed_.tree.nodes[at];
    node.kind = NodeKind::kLoop;
    node.way_count = static_cast<uint8_t>(to.size());
    uint32_t body = kNoBlock, arms = 0, back = 0;
    for (size_t i = 0; i < to.size(); ++i) {
      Way& way = node.ways[i];
      way = to[i] == block    ? Way::kHeader
            : to[i] == merge  ? Way::kBreak
            : to[i] == target ? Way::kContinue
                              : Way::kArm;
      back += way == Way::kHeader ? 1 : 0;
      arms += way == Way::kArm ? 1 : 0;
      if (way == Way::kArm) body = to[i];
    }
    if (arms == 2 && !equal) return Fault(block, "is a loop header with two ways into the loop");
    if (target == block) {
      if (back != 1 || arms != 0) return Fault(block, "is its own continue target and goes on");
      return {};
    }
    if (back != 0) return Fault(block, "branches to itself and has another continue target");
    if (body != kNoBlock) {
      Around inside;
      inside.merge = merge;
      inside.target = target;
      inside.may_end = around.may_end;
      if (Status chain = Chain(body, inside); !chain) return chain;
    }
    Around inside;
    inside.header = block;
    inside.behind = merge;
    return Chain(target, inside);
  }

  Status Switch(uint32_t block, uint32_t at, const Around& around) {
    const uint32_t merge = At(block).merge;
    std::vector<uint16_t> labels, falls;
    std::vector<uint32_t> cases;
    for (uint32_t to : graph_.Targets(block)) {
      if (to != merge && switch_of_[to] != block) {
        if (cases.size() == 0xffff) return Fault(block, "has too many cases");
        cases.push_back(to);
        switch_of_[to] = block;
        number_[to] = static_cast<uint32_t>(cases.size());
      }
      labels.push_back(to == merge ? 0 : static_cast<uint16_t>(number_[to]));
    }
    if (labels.size() > 0xffff) return Fault(block, "has too many labels");
    if (!LabelsTogether(labels)) return Fault(block, "has equal labels with others between");
    Node& node = parsed_.tree.nodes[at];
    node.kind = NodeKind::kSwitch;
    node.label_count = static_cast<uint16_t>(labels.size());
    node.case_count = static_cast<uint16_t>(cases.size());
    Around inside = Inside(around);
    inside.selection = kNoBlock;
    inside.a_switch = merge;
    inside.case_of = block;
    for (size_t i = 0; i < cases.size(); ++i) {
      inside.case_number = static_cast<uint32_t>(i) + 1;
      fall_ = 0;
      if (Status chain = Chain(cases[i], inside); !chain) return chain;
      falls.push_back(static_cast<uint16_t>(fall_));
      fall_ = 0;
    }
    if (!FallsInOrder(labels, falls)) return Fault(block, "has a fall-through out of order");
    parsed_.tree.nodes[at].list = static_cast<uint32_t>(parsed_.tree.lists.size());
    std::vector<uint16_t>& lists = parsed_.tree.lists;
    lists.insert(lists.end(), labels.begin(), labels.end());
    lists.insert(lists.end(), falls.begin(), falls.end());
    return {};
  }

  const Graph& graph_;
  const ParseOptions options_;
  ParsedGraph parsed_;
  std::vector<bool> claimed_;
  std::vector<uint32_t> switch_of_, number_;  // by block: the switch it is a case of
  std::vector<uint32_t> mark_;
  uint32_t stamp_ = 0, depth_ = 0;
  uint32_t fall_ = 0;  // where the case whose last block was read falls through to
};

}  // namespace

Result<ParsedGraph> ParseGraph(const Graph& graph, const ParseOptions& options) {
  return Parser(graph, options).Run();
}

}  // namespace refract::cfg
