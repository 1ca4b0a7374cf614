// SPDX-License-Identifier: Apache-2.0
// Rules on what merge instructions declare (SPIR-V 1.6 revision 2, 2.11.1), and that every cycle is
// a loop. Unless noted, they apply only to structurally reachable blocks.
#include <vector>

#include "base/text.h"
#include "ir/branches.h"
#include "ir/rules/flow_rule_functions.h"

namespace refract {
inline namespace ir {
namespace flow_rules {
namespace {

// Calls `visit(Block)` for reachable loop headers until it returns a fault.
template <class Visit>
Found ForEachLoop(const FlowConstructs& flow, Visit visit) {
  for (Block block : flow.blocks()) {
    if (!flow.Reached(block) || !flow.IsLoopHeader(block)) continue;
    if (Found found = visit(block)) return found;
  }
  return std::nullopt;
}

// Before revision 2 of 1.6, merge blocks and continue targets could be unreachable by branches.
bool IsExcused(const FlowConstructs& flow, Block declared) {
  return flow.mode() == FlowMode::kOlder && !flow.Reached(declared);
}

}  // namespace

// 2.11.1: "the merge block declared by a header block must not be a merge block declared by any
// other header block". This applies to unreachable blocks too: neither the text nor spirv-val has
// an exception.
Found MergeBlockDeclaredOnce(const FlowConstructs& flow) {
  std::vector<Block> declared_by(flow.blocks().size(), Block::kNone);
  for (Block block : flow.blocks()) {
    if (!flow.IsHeader(block)) continue;
    Block& first = declared_by[flow.flow().Slot(flow.MergeOf(block))];
    if (first != Block::kNone) {
      return Fault({first, block, flow.MergeOf(block)}, "two headers declare the same merge block");
    }
    first = block;
  }
  return std::nullopt;
}

// 2.16.2: "an OpSelectionMerge instruction is required to precede: an OpSwitch instruction".
Found SwitchHasMergeBlock(const FlowConstructs& flow) {
  for (Block block : flow.blocks()) {
    if (!flow.Reached(block) || !flow.EndsWith(block, spv::Op::OpSwitch)) continue;
    if (!flow.IsHeader(block)) return Fault({block}, "a switch has no merge instruction");
  }
  return std::nullopt;
}

// 2.11.1: "each header block must strictly structurally dominate its merge block". That no header
// is its own merge block applies to unreachable headers too.
Found HeaderDominatesMergeBlock(const FlowConstructs& flow) {
  for (Block block : flow.blocks()) {
    if (!flow.IsHeader(block)) continue;
    const Block merge = flow.MergeOf(block);
    if (merge == block) return Fault({block}, "a header is its own merge block");
    if (!flow.Reached(block) || IsExcused(flow, merge) || flow.Dominates(block, merge)) continue;
    return Fault({block, merge}, "a header does not dominate its merge block");
  }
  return std::nullopt;
}

// 2.11.1: "the Continue Target and merge block must be different blocks". This applies to
// unreachable headers too.
Found MergeBlockIsNotContinueTarget(const FlowConstructs& flow) {
  for (Block block : flow.blocks()) {
    if (!flow.IsLoopHeader(block) || flow.MergeOf(block) != flow.ContinueTargetOf(block)) continue;
    return Fault({block, flow.MergeOf(block)},
                 "the merge block and the continue target of a loop are the same block");
  }
  return std::nullopt;
}

// 2.11.1: "the loop header must structurally dominate the Continue Target".
Found LoopHeaderDominatesContinueTarget(const FlowConstructs& flow) {
  return ForEachLoop(flow, [&](Block header) -> Found {
    const Block target = flow.ContinueTargetOf(header);
    if (IsExcused(flow, target) || flow.Dominates(header, target)) return std::nullopt;
    return Fault({header, target}, "a loop header does not dominate its continue target");
  });
}

// 2.11.1: "all back edges must branch to a loop header"; 2.16.2: "the target basic block of a back
// edge must contain an OpLoopMerge instruction".
Found BackEdgeToLoopHeader(const FlowConstructs& flow) {
  for (Block block : flow.blocks()) {
    if (!flow.Reached(block)) continue;
    for (Block to : flow.flow().Successors(block)) {
      if (flow.Dominates(to, block) && !flow.IsLoopHeader(to)) {
        return Fault({block, to}, "a back edge goes to a block that is not a loop header");
      }
    }
  }
  return std::nullopt;
}

// 2.11.1: "with each loop header having exactly one back edge branching to it". Two labels of one
// branch count as two edges here, but spirv-val counts blocks.
Found OneBackEdgeForEachLoop(const FlowConstructs& flow) {
  const Module& module = flow.module();
  std::vector<uint32_t> edges(flow.blocks().size(), 0);
  for (Block block : flow.blocks()) {
    if (!flow.Reached(block)) continue;
    const Inst branch = module.Terminator(block);
    Block last = Block::kNone;
    ForEachTarget(module, branch, [&](uint32_t operand) {
      const Block to = module.BlockOfLabel(module.IdAt(branch, operand));
      if (flow.mode() == FlowMode::kSpirvVal && to == last) return;
      last = to;
      if (flow.Dominates(to, block)) ++edges[flow.flow().Slot(to)];
    });
  }
  return ForEachLoop(flow, [&](Block header) -> Found {
    const uint32_t count = edges[flow.flow().Slot(header)];
    if (count == 1 || (count == 0 && IsExcused(flow, flow.ContinueTargetOf(header)))) {
      return std::nullopt;
    }
    return Fault({header}, format("a loop header has {} back edges instead of one", count));
  });
}

// 2.2.5, about back edges: "This implies that the CFG defined by the function's structured
// control-flow edges is reducible."
Found NoOtherCycle(const FlowConstructs& flow) {
  if (flow.Irreducible().empty()) return std::nullopt;
  return Fault({flow.Irreducible().front()},
               "the block is on or after a cycle that has two entries");
}

// 2.11.1: "the Continue Target must structurally dominate the back-edge block".
Found ContinueTargetDominatesBackEdge(const FlowConstructs& flow) {
  return ForEachLoop(flow, [&](Block header) -> Found {
    const Block target = flow.ContinueTargetOf(header), latch = flow.LatchOf(header);
    if (latch == Block::kNone || flow.Dominates(target, latch)) return std::nullopt;
    return Fault({header, target, latch},
                 "a continue target does not dominate the back-edge block of its loop");
  });
}

// 2.11.1: "the back-edge block must structurally post dominate the Continue Target".
Found BackEdgePostDominatesContinueTarget(const FlowConstructs& flow) {
  return ForEachLoop(flow, [&](Block header) -> Found {
    const Block target = flow.ContinueTargetOf(header), latch = flow.LatchOf(header);
    if (latch == Block::kNone || flow.PostDominates(latch, target)) return std::nullopt;
    return Fault({header, target, latch},
                 "the back-edge block of a loop does not post-dominate the continue target");
  });
}

}  // namespace flow_rules
}  // namespace ir
}  // namespace refract
