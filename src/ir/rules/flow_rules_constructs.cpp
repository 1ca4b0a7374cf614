// SPDX-License-Identifier: Apache-2.0
// Rules on how constructs nest, and how they are entered and left (SPIR-V 1.6 revision 2, 2.11.3,
// 2.16.2 and 2.17). They apply only to structurally reachable blocks.
#include <vector>

#include "base/text.h"
#include "ir/rules/flow_rule_functions.h"

namespace refract {
inline namespace ir {
namespace flow_rules {
namespace {

// Calls `visit(from, to)` for the branches of reachable blocks until it returns a fault.
template <class Visit>
Found ForEachBranch(const FlowConstructs& flow, Visit visit) {
  for (Block from : flow.blocks()) {
    if (!flow.Reached(from)) continue;
    for (Block to : flow.flow().Successors(from)) {
      if (Found found = visit(from, to)) return found;
    }
  }
  return std::nullopt;
}

// Calls `visit(Block, labels)` for reachable conditional branches with different labels, from loop
// headers (`loop`) or from blocks without a merge instruction.
template <class Visit>
Found ForEachPlainBranch(const FlowConstructs& flow, bool loop, Visit visit) {
  for (Block block : flow.blocks()) {
    if (!flow.Reached(block) || !flow.EndsWith(block, spv::Op::OpBranchConditional)) continue;
    if (loop ? !flow.IsLoopHeader(block) : flow.IsHeader(block)) continue;
    if (Found found = visit(block, flow.flow().Successors(block))) return found;
  }
  return std::nullopt;
}

// Blocks in reverse postorder of a walk that follows merge block, continue target, then labels.
std::vector<Block> SpirvValOrder(const FlowConstructs& flow) {
  struct Visit {
    Block block;
    std::vector<Block> next;
  };
  const auto next_of = [&](Block block) {
    std::vector<Block> next;
    if (flow.IsHeader(block)) next.push_back(flow.MergeOf(block));
    if (flow.IsLoopHeader(block)) next.push_back(flow.ContinueTargetOf(block));
    const auto labels = flow.flow().Successors(block);
    next.insert(next.end(), labels.begin(), labels.end());
    return std::vector<Block>(next.rbegin(), next.rend());
  };
  std::vector<bool> seen(flow.blocks().size(), false);
  std::vector<Block> order;
  std::vector<Visit> stack;
  const auto enter = [&](Block block) {
    seen[flow.flow().Slot(block)] = true;
    stack.push_back({block, next_of(block)});
  };
  enter(flow.blocks()[0]);
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.next.empty()) {
      order.push_back(top.block);
      stack.pop_back();
      continue;
    }
    const Block block = top.next.back();
    top.next.pop_back();
    if (!seen[flow.flow().Slot(block)]) enter(block);
  }
  return {order.rbegin(), order.rend()};
}

// spirv-val requires only that one label was a merge block, a continue target or a label before.
Found SelectionHasNewLabels(const FlowConstructs& flow) {
  std::vector<bool> seen(flow.blocks().size(), false);
  const auto see = [&](Block block) {
    const bool before = seen[flow.flow().Slot(block)];
    seen[flow.flow().Slot(block)] = true;
    return before;
  };
  for (Block block : SpirvValOrder(flow)) {
    if (flow.IsHeader(block)) see(flow.MergeOf(block));
    if (flow.IsLoopHeader(block)) see(flow.ContinueTargetOf(block));
    const auto labels = flow.flow().Successors(block);
    if (labels.size() < 2) continue;
    bool old = false;
    for (Block label : labels) old |= see(label);
    if (!old && !flow.IsHeader(block) && flow.EndsWith(block, spv::Op::OpBranchConditional)) {
      return Fault({block},
                   "a conditional branch has no merge instruction, and neither target is a merge "
                   "block or continue target");
    }
  }
  return std::nullopt;
}

}  // namespace

// 2.17: "Control-flow nesting depth", at least 1,023 in every implementation. The depth is that of
// constructs, regardless of the order of the file.
Found NestingIsLimited(const FlowConstructs& flow) {
  if (flow.TooDeep() == Block::kNone) return std::nullopt;
  return Fault({flow.TooDeep()},
               format("constructs are nested deeper than {} levels", kMaxFlowNesting));
}

// 2.11.3: "if a structured control-flow construct S contains the header block for a selection, loop
// or switch construct different from S, then S must also contain that construct's merge block". The
// continue construct of a single-block loop is exempt, as in other tools, because its only block is
// that header.
Found HeaderWithItsMergeBlock(const FlowConstructs& flow) {
  for (Block header : flow.blocks()) {
    if (!flow.Reached(header) || !flow.IsHeader(header)) continue;
    const Block merge = flow.MergeOf(header);
    if (!flow.Reached(merge)) continue;  // possible only in FlowMode::kOlder
    Block outer = Block::kNone;
    flow.ForEachAround(header, [&](const FlowConstruct& around) {
      if (around.header == header && around.kind != FlowKind::kCase) return true;
      if (flow.Contains(around, merge)) return true;
      outer = around.head;
      return false;
    });
    if (outer == Block::kNone) continue;
    return Fault({outer, header, merge},
                 "a construct contains a header, but not that header's merge block");
  }
  return std::nullopt;
}

// 2.11.3: "all branches into a selection, loop or switch construct from structurally-reachable
// blocks outside the construct must be to the construct's header block". For continue and case
// constructs this follows from the other rules.
Found ConstructEnteredAtHeader(const FlowConstructs& flow) {
  return ForEachBranch(flow, [&](Block from, Block to) -> Found {
    Block head = Block::kNone;
    flow.ForEachAround(to, [&](const FlowConstruct& around) {
      if (around.head == to || flow.Contains(around, from)) return true;
      head = around.head;
      return false;
    });
    if (head == Block::kNone) return std::nullopt;
    return Fault({from, to, head}, "a branch enters a construct other than at its header");
  });
}

// 2.11.3: "for a loop construct that is not a single block loop, if there is a branch edge from a
// block B to the loop's continue target that is not a back edge, then B must belong to the loop
// construct".
Found ContinueTargetEnteredFromLoop(const FlowConstructs& flow) {
  return ForEachBranch(flow, [&](Block from, Block to) -> Found {
    if (flow.Dominates(to, from)) return std::nullopt;  // a back edge
    Block header = Block::kNone;
    flow.ForEachAround(to, [&](const FlowConstruct& around) {
      if (around.head != to) return false;
      if (around.kind != FlowKind::kContinue || around.header == to) return true;
      FlowConstruct loop = around;
      loop.kind = FlowKind::kLoop;
      loop.head = around.header;
      if (flow.Contains(loop, from)) return true;
      header = around.header;
      return false;
    });
    if (header == Block::kNone) return std::nullopt;
    return Fault({from, to, header}, "a branch from outside a loop enters its continue target");
  });
}

// 2.11.3: "a branch edge that exits a continue construct must branch to the header block or merge
// block of the associated loop". By the list of exits, only the back-edge block may do so.
Found ContinueConstructExit(const FlowConstructs& flow) {
  return ForEachBranch(flow, [&](Block from, Block to) -> Found {
    if (flow.ExitOf(from, to) != FlowExit::kBadOfContinue) return std::nullopt;
    return Fault(
        {from, to},
        "a branch leaves a continue construct, but not from its back-edge block to the loop "
        "header or merge block");
  });
}

// 2.11.3: "if a branch edge from block A to block B exits the structured control-flow construct S,
// then the exit must correspond to one of the following". Applied to each construct alone, this
// would forbid every break out of a selection. Selections are therefore transparent to breaks and
// continues, as in all tools (docs/control-flow.md).
Found ConstructExit(const FlowConstructs& flow) {
  return ForEachBranch(flow, [&](Block from, Block to) -> Found {
    if (flow.ExitOf(from, to) != FlowExit::kBad) return std::nullopt;
    return Fault({from, to}, "a branch leaves a construct in a way that SPIR-V does not allow");
  });
}

// 2.16.2: "an OpSelectionMerge instruction is required to precede: [...] an OpBranchConditional
// instruction that has different True Label and False Label operands where neither are declared
// merge blocks or Continue Targets." In strict mode, one of the labels must exit a construct other
// than to the next case.
Found SelectionHasMergeBlock(const FlowConstructs& flow) {
  if (flow.mode() == FlowMode::kSpirvVal) return SelectionHasNewLabels(flow);
  return ForEachPlainBranch(flow, false, [&](Block block, auto labels) -> Found {
    bool leaves = labels.size() < 2;
    for (Block label : labels) {
      leaves |= flow.mode() == FlowMode::kLetter
                    ? flow.flow().IsMergeBlock(label) || flow.flow().IsContinueTarget(label)
                    : flow.ExitOf(block, label) == FlowExit::kExit;
    }
    if (leaves) return std::nullopt;
    return Fault({block}, "a conditional branch has no merge instruction");
  });
}

// 2.16.2: a loop header has no OpSelectionMerge, so its conditional branch is not a selection, and
// one label must be the merge block or continue target.
Found LoopHeaderLeavesOneWay(const FlowConstructs& flow) {
  if (flow.mode() == FlowMode::kSpirvVal) return std::nullopt;
  return ForEachPlainBranch(flow, true, [&](Block block, auto labels) -> Found {
    if (labels.size() < 2) return std::nullopt;
    for (Block label : labels) {
      if (label == flow.MergeOf(block) || label == flow.ContinueTargetOf(block)) {
        return std::nullopt;
      }
    }
    return Fault({block},
                 "neither label of a loop header's branch is its merge block or continue target");
  });
}

}  // namespace flow_rules
}  // namespace ir
}  // namespace refract
