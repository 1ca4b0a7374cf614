// SPDX-License-Identifier: Apache-2.0
#include "cfg/parse.h"

#include <algorithm>

#include "base/text.h"
#include "cfg/grammar.h"
#include "cfg/switch_shapes.h"

namespace refract::cfg {
namespace {

// The blocks around a chain that its edges may lead to.
struct BlocksAround {
  uint32_t join = kNoBlock, selection = kNoBlock, a_switch = kNoBlock;
  uint32_t merge = kNoBlock, target = kNoBlock;  // of the loop whose body contains the chain
  // Of the loop whose continue construct contains the chain.
  uint32_t header = kNoBlock, behind = kNoBlock;
  uint32_t case_of = kNoBlock, case_number = 0;  // of the switch whose case contains the chain
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
    BlocksAround function;
    function.may_end = true;
    if (graph_.blocks[0].is_loop()) return Fault(0, "is the entry block and also a loop header");
    if (Status chain = Chain(0, function); !chain) return chain.error();
    const std::vector<bool> reached = StructurallyReached(graph_);
    for (uint32_t block = 0; block < graph_.size(); ++block) {
      if (claimed_[block] || (options_.ignore_unreachable && !reached[block])) continue;
      if (reached[block]) return Fault(block, "belongs to no chain of blocks");
      const uint32_t root = RootOf(block);
      if (Status chain = Chain(root, function); !chain) return chain.error();
      if (!claimed_[block]) return Fault(block, "is unreachable and belongs to no chain of blocks");
    }
    return std::move(parsed_);
  }

 private:
  static Error Fault(uint32_t block, const std::string& what) {
    return Error{format("block {} {}", block, what)};
  }
  const GraphBlock& At(uint32_t block) const { return graph_.blocks[block]; }

  // Returns the first block of the chain that contains an unreachable block: the first block from
  // which `block` can be reached and to whose chain no edge leads from outside.
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

  // Returns by which exit of a chain an edge to this block leaves it; kNext if by none.
  EdgeKind Exit(uint32_t to, const BlocksAround& around) const {
    if (to == around.selection) return EdgeKind::kSelection;
    if (to == around.a_switch) return EdgeKind::kSwitch;
    if (to == around.merge) return EdgeKind::kBreak;
    return to == around.target ? EdgeKind::kContinue : EdgeKind::kNext;
  }
  // Returns the kind of an edge from a plain block.
  EdgeKind EdgeKindTo(uint32_t to, const BlocksAround& around) const {
    if (to == around.join) return EdgeKind::kJoin;
    if (to == around.header) return EdgeKind::kHeader;
    if (to == around.behind) return EdgeKind::kBreak;
    const bool falls = around.case_number != 0 && switch_of_[to] == around.case_of &&
                       number_[to] != around.case_number;
    return falls ? EdgeKind::kFall : Exit(to, around);
  }

  Status Claim(uint32_t block) {
    if (claimed_[block]) {
      return Fault(block,
                   "is the target of an edge that neither continues its chain of blocks nor is an "
                   "exit of the chain");
    }
    claimed_[block] = true;
    parsed_.tree.nodes.emplace_back();
    parsed_.blocks.push_back(block);
    return {};
  }

  Status Chain(uint32_t block, BlocksAround around) {
    if (++depth_ > 2 * kUnlimitedDepth) return Fault(block, "is nested too deeply");
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
      // Only the construct itself may branch to what its merge instruction declares.
      if (EdgeKindTo(block, around) != EdgeKind::kNext) {
        return Fault(block,
                     "is the merge block of a construct and also the target of an exit of a "
                     "surrounding construct");
      }
    }
    --depth_;
    return {};
  }

  // Parses a block without a merge instruction. Returns the next block of the chain, if the chain
  // continues.
  Result<uint32_t> Plain(uint32_t block, uint32_t at, const BlocksAround& around) {
    const auto to = graph_.Targets(block);
    if (At(block).is_switch) return Fault(block, "ends with OpSwitch but has no merge instruction");
    Node& node = parsed_.tree.nodes[at];
    node.edge_count = static_cast<uint8_t>(to.size());
    if (to.empty()) {
      if (!around.may_end) return Fault(block, "ends the function in a continue construct");
      if (around.join != kNoBlock) {
        return Fault(block, "ends a branch of a selection before the branches join");
      }
      return kNoBlock;
    }
    uint32_t next = kNoBlock, onward = 0;
    for (size_t i = 0; i < to.size(); ++i) {
      node.edges[i] = EdgeKindTo(to[i], around);
      const bool ahead = node.edges[i] == EdgeKind::kNext || node.edges[i] == EdgeKind::kJoin ||
                         node.edges[i] == EdgeKind::kFall;
      onward += ahead ? 1 : 0;
      if (node.edges[i] == EdgeKind::kNext) next = to[i];
    }
    const bool equal = to.size() == 2 && to[0] == to[1];
    if (equal && !options_.equal_labels)
      return Fault(block, "has a conditional branch with equal labels");
    if (onward == 2 && !equal) {
      return Fault(block, "has two targets in its construct but no merge instruction");
    }
    if (next != kNoBlock) {
      // In a continue construct, only the last block may branch to the merge block of the loop.
      const bool back =
          node.Has(EdgeKind::kHeader) || to[0] == around.behind || to.back() == around.behind;
      if (back) return Fault(block, "has a back edge but is not the last block of its chain");
      return next;
    }
    if (around.header != kNoBlock && (!node.Has(EdgeKind::kHeader) || equal)) {
      return Fault(block, "ends a continue construct but has no back edge");
    }
    if (around.join != kNoBlock && !node.Has(EdgeKind::kJoin)) {
      return Fault(block, "ends a branch of a selection before the branches join");
    }
    if (node.Has(EdgeKind::kFall)) {
      const uint32_t to_case = number_[node.edges[0] == EdgeKind::kFall ? to[0] : to[1]];
      fall_ = to_case;
    }
    return kNoBlock;
  }

  Status Selection(uint32_t block, uint32_t at, const BlocksAround& around) {
    const auto to = graph_.Targets(block);
    if (to.size() != 2) return Fault(block, "is a selection header but does not have two labels");
    if (to[0] == to[1] && !options_.equal_labels)
      return Fault(block, "has a conditional branch with equal labels");
    BlocksAround inside = Inside(around);
    inside.selection = At(block).merge;
    const EdgeKind edges[2] = {Exit(to[0], inside), Exit(to[1], inside)};
    Node& node = parsed_.tree.nodes[at];
    node.kind = NodeKind::kSelection;
    node.edge_count = 2;
    uint32_t join = kNoBlock;
    if (edges[0] == EdgeKind::kNext && edges[1] == EdgeKind::kNext)
      join = FindJoin(to[0], to[1], inside);
    node.joins = join != kNoBlock;
    for (size_t i = 0; i < 2; ++i) {
      node.edges[i] = edges[i] != EdgeKind::kNext ? edges[i]
                      : to[i] == join             ? EdgeKind::kJoin
                                                  : EdgeKind::kArm;
    }
    const Node copy = node;  // chains add nodes, which invalidates `node`
    BlocksAround arm = inside;
    arm.join = join;
    for (size_t i = 0; i < 2; ++i) {
      if (copy.edges[i] != EdgeKind::kArm) continue;
      if (Status chain = Chain(to[i], arm); !chain) return chain;
    }
    return join == kNoBlock ? Status() : Chain(join, inside);
  }
  // Returns what a construct in a chain keeps of the blocks around the chain.
  static BlocksAround Inside(BlocksAround around) {
    around.join = around.header = around.behind = around.case_of = kNoBlock;
    around.case_number = 0;
    return around;
  }

  // Returns the next node of a chain; kNoBlock if the chain ends or is not one.
  uint32_t Onward(uint32_t block, const BlocksAround& around) const {
    if (At(block).is_header()) return At(block).merge;
    for (uint32_t to : graph_.Targets(block)) {
      if (Exit(to, around) == EdgeKind::kNext) return to;
    }
    return kNoBlock;
  }
  // Returns where the chains from two blocks join: the first block of the second chain that is also
  // in the first.
  uint32_t FindJoin(uint32_t first, uint32_t second, const BlocksAround& around) {
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

  Status Loop(uint32_t block, uint32_t at, const BlocksAround& around) {
    const auto to = graph_.Targets(block);
    const uint32_t merge = At(block).merge, target = At(block).continue_target;
    if (At(block).is_switch || to.empty())
      return Fault(block, "is a loop header but does not end with a branch");
    const bool equal = to.size() == 2 && to[0] == to[1];
    if (equal && !options_.equal_labels)
      return Fault(block, "has a conditional branch with equal labels");
    Node& node = parsed_.tree.nodes[at];
    node.kind = NodeKind::kLoop;
    node.edge_count = static_cast<uint8_t>(to.size());
    uint32_t body = kNoBlock, arms = 0, back = 0;
    for (size_t i = 0; i < to.size(); ++i) {
      EdgeKind& edge = node.edges[i];
      edge = to[i] == block    ? EdgeKind::kHeader
             : to[i] == merge  ? EdgeKind::kBreak
             : to[i] == target ? EdgeKind::kContinue
                               : EdgeKind::kArm;
      back += edge == EdgeKind::kHeader ? 1 : 0;
      arms += edge == EdgeKind::kArm ? 1 : 0;
      if (edge == EdgeKind::kArm) body = to[i];
    }
    if (arms == 2 && !equal) return Fault(block, "is a loop header with two targets in its body");
    if (target == block) {
      if (back != 1 || arms != 0)
        return Fault(block, "is its own continue target but not a single-block loop");
      return {};
    }
    if (back != 0) return Fault(block, "branches to itself but is not its own continue target");
    if (body != kNoBlock) {
      BlocksAround inside;
      inside.merge = merge;
      inside.target = target;
      inside.may_end = around.may_end;
      if (Status chain = Chain(body, inside); !chain) return chain;
    }
    BlocksAround inside;
    inside.header = block;
    inside.behind = merge;
    return Chain(target, inside);
  }

  Status Switch(uint32_t block, uint32_t at, const BlocksAround& around) {
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
    if (!LabelsTogether(labels))
      return Fault(block, "has a switch with equal labels that are not adjacent");
    Node& node = parsed_.tree.nodes[at];
    node.kind = NodeKind::kSwitch;
    node.label_count = static_cast<uint16_t>(labels.size());
    node.case_count = static_cast<uint16_t>(cases.size());
    BlocksAround inside = Inside(around);
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
    if (!FallsInOrder(labels, falls))
      return Fault(block, "has cases that fall through in the wrong order");
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
  // By block: the switch of which it starts a case, and the number of the case.
  std::vector<uint32_t> switch_of_, number_;
  std::vector<uint32_t> mark_;
  uint32_t stamp_ = 0, depth_ = 0;
  uint32_t fall_ = 0;  // the case into which the last parsed case falls through
};

}  // namespace

Result<ParsedGraph> ParseGraph(const Graph& graph, const ParseOptions& options) {
  return Parser(graph, options).Run();
}

}  // namespace refract::cfg
