// SPDX-License-Identifier: Apache-2.0
#include "ir/rules/flow_constructs.h"

#include <algorithm>

#include "ir/branches.h"

namespace refract {
inline namespace ir {

FlowConstructs::FlowConstructs(const Module& module, Function function, FlowMode mode)
    : module_(module),
      function_(function),
      mode_(mode),
      flow_(BuildControlFlow(module, function)),
      latch_(flow_.order.size(), Block::kNone),
      lists_merge_(flow_.order.size(), false),
      heads_(flow_.order.size()),
      innermost_(flow_.order.size(), kNone) {
  FindBackEdges();
  FindIrreducible();
  MakePostDominators();
  CollectHeads();
  ChainConstructs();
}

// Section 2.2.5 defines back edges by a depth-first search. For a function that keeps the rules
// back_edge_to_loop_header and no_other_cycle, this definition by dominance is equivalent.
void FlowConstructs::FindBackEdges() {
  for (Block block : blocks()) {
    if (!Reached(block)) continue;
    for (Block successor : flow_.Successors(block)) {
      if (!Dominates(successor, block)) continue;
      Block& latch = latch_[Slot(successor)];
      if (latch == Block::kNone) latch = block;
    }
  }
}

// Removes blocks without predecessors, except over back edges, as long as there are any. The rest
// is on or after a cycle.
void FlowConstructs::FindIrreducible() {
  std::vector<uint32_t> incoming(blocks().size(), 0);
  const auto each_forward = [&](Block block, auto visit) {
    ForEachSuccessor(block, [&](uint32_t to) {
      if (!Tree().Dominates(to, Slot(block))) visit(to);
    });
  };
  for (Block block : blocks()) {
    if (Reached(block)) each_forward(block, [&](uint32_t to) { ++incoming[to]; });
  }
  std::vector<uint32_t> ready{0};
  for (size_t done = 0; done < ready.size(); ++done) {
    each_forward(flow_.AtSlot(ready[done]), [&](uint32_t to) {
      if (--incoming[to] == 0) ready.push_back(to);
    });
  }
  for (Block block : blocks()) {
    if (Reached(block) && incoming[Slot(block)] != 0) irreducible_.push_back(block);
  }
}

void FlowConstructs::MakePostDominators() {
  const uint32_t n = static_cast<uint32_t>(blocks().size());
  Graph graph;
  for (uint32_t slot = 0; slot < n; ++slot) {
    graph.begin.push_back(static_cast<uint32_t>(graph.targets.size()));
    if (!Tree().Reached(slot)) continue;
    if (flow_.Successors(flow_.AtSlot(slot)).empty()) graph.targets.push_back(n);
    ForEachSuccessor(flow_.AtSlot(slot), [&](uint32_t to) { graph.targets.push_back(to); });
  }
  graph.begin.resize(n + 2, static_cast<uint32_t>(graph.targets.size()));
  postdominators_ = DominatorTree(graph.Reversed(), graph, n);
}

bool FlowConstructs::PostDominates(Block a, Block b) const {
  if (!Reached(a) || !Reached(b)) return false;
  return !postdominators_.Reached(Slot(b)) || postdominators_.Dominates(Slot(a), Slot(b));
}

bool FlowConstructs::Contains(const FlowConstruct& construct, Block block) const {
  if (!Dominates(construct.head, block)) return false;
  const bool in_continue = construct.latch != Block::kNone &&
                           Dominates(construct.continue_target, block) &&
                           PostDominates(construct.latch, block);
  if (construct.kind == FlowKind::kContinue) return in_continue;
  return !Dominates(construct.merge, block) && !(construct.kind == FlowKind::kLoop && in_continue);
}

void FlowConstructs::CollectHeads() {
  const auto is_switch = [&](Block block) {
    return Reached(block) && IsHeader(block) && !IsLoopHeader(block) &&
           EndsWith(block, spv::Op::OpSwitch);
  };
  for (Block block : blocks()) {
    if (!is_switch(block)) continue;
    for (Block target : flow_.Successors(block)) {
      if (target == MergeOf(block)) lists_merge_[Slot(block)] = true;
      if (target == MergeOf(block) || !Dominates(block, target)) continue;
      heads_[Slot(target)].push_back(
          {FlowKind::kCase, target, block, MergeOf(block), Block::kNone, Block::kNone});
    }
  }
  const auto loop = [&](FlowKind kind, Block head, Block header) {
    return FlowConstruct{kind,           head, header, MergeOf(header), ContinueTargetOf(header),
                         LatchOf(header)};
  };
  for (Block block : blocks()) {  // the continue constructs of other headers
    if (!Reached(block) || !IsLoopHeader(block)) continue;
    const Block target = ContinueTargetOf(block);
    if (target != block) {
      heads_[Slot(target)].push_back(loop(FlowKind::kContinue, target, block));
    }
  }
  for (Block block : blocks()) {
    if (!Reached(block) || !IsHeader(block)) continue;
    std::vector<FlowConstruct>& own = heads_[Slot(block)];
    if (IsLoopHeader(block)) {
      own.push_back(loop(FlowKind::kLoop, block, block));
      if (ContinueTargetOf(block) == block) own.push_back(loop(FlowKind::kContinue, block, block));
    } else {
      own.push_back({is_switch(block) ? FlowKind::kSwitch : FlowKind::kSelection, block, block,
                     MergeOf(block), Block::kNone, Block::kNone});
    }
  }
}

uint32_t FlowConstructs::Push(const FlowConstruct& construct, uint32_t outer) {
  const Link around = outer == kNone ? Link{} : links_[outer];
  // The depth of SPIR-V 2.17 counts the merge blocks that have not been reached yet.
  const uint32_t depth = around.depth + (construct.kind == FlowKind::kCase ? 0 : 1);
  links_.push_back({construct, outer, around.length + 1, depth});
  return static_cast<uint32_t>(links_.size() - 1);
}

// The constructs around a block: those around its dominator that contain the block, then those that
// it heads. In a valid function, the constructs that were left are inside those that still contain
// the block, so the chain can be shared.
void FlowConstructs::ChainConstructs() {
  std::vector<uint32_t> kept;
  for (uint32_t slot : Tree().Preorder()) {
    const Block block = flow_.AtSlot(slot);
    const uint32_t parent = Tree().Parent(slot);
    uint32_t around = parent == DominatorTree::kNone ? kNone : innermost_[parent];
    kept.clear();
    uint32_t below = kNone;  // the link just outside of the outermost construct that was left
    bool left = false;
    for (uint32_t i = around; i != kNone; i = links_[i].outer) {
      if (Contains(links_[i].construct, block)) {
        kept.push_back(i);
        continue;
      }
      left = true;
      below = links_[i].outer;
    }
    if (left) {
      const uint32_t shared = below == kNone ? 0 : links_[below].length;
      around = below;
      for (size_t i = kept.size() - shared; i-- > 0;) {
        const FlowConstruct construct = links_[kept[i]].construct;
        around = Push(construct, around);
      }
    }
    for (const FlowConstruct& construct : heads_[slot]) {
      if (Contains(construct, block)) around = Push(construct, around);
    }
    innermost_[slot] = around;
    if (Depth(block) > kMaxFlowNesting) {
      too_deep_ = block;
      return;  // this keeps walks along the chains short
    }
  }
}

bool FlowConstructs::IsCaseOf(Block switch_header, Block block) const {
  const std::vector<FlowConstruct>& heads = heads_[Slot(block)];
  return std::any_of(heads.begin(), heads.end(), [&](const FlowConstruct& construct) {
    return construct.kind == FlowKind::kCase && construct.header == switch_header;
  });
}

FlowExit FlowConstructs::ExitOf(Block from, Block to) const {
  FlowExit exit = FlowExit::kInside;
  // Left so far, from the inside outwards.
  bool selection = false, a_switch = false, a_case = false;
  bool decided = false;
  const auto decide = [&](FlowExit value) {
    exit = value;
    decided = true;
    return false;
  };
  ForEachAround(from, [&](const FlowConstruct& around) {
    const bool first = !selection && !a_switch && !a_case;
    if (Contains(around, to) && !(around.kind == FlowKind::kContinue && to == around.header)) {
      if (first) return decide(FlowExit::kInside);
      const bool falls = around.kind == FlowKind::kSwitch && IsCaseOf(around.header, to) &&
                         a_case && !selection && !a_switch;
      return decide(falls ? FlowExit::kFallThrough : FlowExit::kBad);
    }
    switch (around.kind) {
      case FlowKind::kSelection:
        if (to == around.merge && first) return decide(FlowExit::kExit);
        selection = true;
        return true;
      case FlowKind::kSwitch:
        if (to == around.merge && !a_switch) return decide(FlowExit::kExit);
        a_switch = true;
        return true;
      case FlowKind::kCase:
        a_case = true;
        return true;
      case FlowKind::kLoop:
        return decide(to == around.merge || to == around.continue_target ? FlowExit::kExit
                                                                         : FlowExit::kBad);
      case FlowKind::kContinue:
        return decide(from == around.latch && (to == around.merge || to == around.header)
                          ? FlowExit::kExit
                          : FlowExit::kBadOfContinue);
    }
    return true;
  });
  if (!decided && (selection || a_switch || a_case)) exit = FlowExit::kBad;
  if (exit == FlowExit::kBad && mode_ == FlowMode::kLetter && LeavesCaseForTarget(from, to)) {
    return FlowExit::kFallThrough;
  }
  return exit;
}

// "S is a case construct associated with an OpSwitch instruction, and B is a target block or
// default block": this item of the list does not restrict other constructs that the branch exits,
// and B may be the merge block.
bool FlowConstructs::LeavesCaseForTarget(Block from, Block to) const {
  bool found = false;
  ForEachAround(from, [&](const FlowConstruct& around) {
    found = around.kind == FlowKind::kCase && to != around.head &&
            (to == around.merge ? lists_merge_[Slot(around.header)] : IsCaseOf(around.header, to));
    return !found;
  });
  return found;
}

}  // namespace ir
}  // namespace refract
