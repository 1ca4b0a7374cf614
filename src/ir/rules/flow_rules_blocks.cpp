// SPDX-License-Identifier: Apache-2.0
// Rules on blocks and branches for modules of every capability (SPIR-V 2.16.1 and the descriptions
// of the instructions).
#include <algorithm>

#include "base/text.h"
#include "ir/branches.h"
#include "ir/rules/flow_rule_functions.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace ir {
namespace flow_rules {

// 2.16.1: "The first block in a function definition is the entry point of that function and must
// not be the target of any branch."
Found EntryBlockNotTargeted(const FlowConstructs& flow) {
  const Block entry = flow.blocks()[0];
  const auto sources = flow.flow().Predecessors(entry);
  if (sources.empty()) return std::nullopt;
  return Fault({sources[0], entry}, "a branch targets the entry block");
}

// 2.16.1: "The order of blocks in a function must satisfy the rule that blocks appear before all
// blocks they dominate."
Found BlockAfterItsDominator(const FlowConstructs& flow) {
  for (Block block : flow.blocks()) {
    const Block dominator = flow.flow().ImmediateDominator(block);
    if (dominator == Block::kNone ||
        flow.flow().Position(dominator) < flow.flow().Position(block)) {
      continue;
    }
    return Fault({block, dominator}, "a block is listed before its dominator");
  }
  return std::nullopt;
}

namespace {

Found JudgePhi(const FlowConstructs& flow, Block block, Inst phi, std::vector<uint32_t>* seen,
               uint32_t stamp) {
  const Module& module = flow.module();
  uint32_t inputs = 0;
  for (uint32_t i = 0; i + 1 < module.OperandCount(phi); i += 2) {
    if (!module.IsId(phi, i) || !module.IsId(phi, i + 1)) {
      return Fault({block}, "the operands of a phi are not pairs");
    }
    const Block from = module.BlockOfLabel(module.IdAt(phi, i + 1));
    const bool of_function = from != Block::kNone && module[from].function == flow.function();
    if (!of_function || (*seen)[flow.flow().Slot(from)] < stamp) {
      return Fault({block}, format("a phi has an input from {}, which is not a predecessor",
                                   validity::NameText(module, from)));
    }
    uint32_t& mark = (*seen)[flow.flow().Slot(from)];
    if (mark > stamp) return Fault({block, from}, "a phi has two inputs from the same predecessor");
    ++mark;
    ++inputs;
  }
  if (module.OperandCount(phi) % 2 != 0) {
    return Fault({block}, "the operands of a phi are not pairs");
  }
  if (inputs == flow.flow().Predecessors(block).size()) return std::nullopt;
  for (Block from : flow.flow().Predecessors(block)) {
    if ((*seen)[flow.flow().Slot(from)] == stamp) {
      return Fault({block, from}, "a phi has no input from a predecessor");
    }
  }
  return std::nullopt;
}

}  // namespace

// OpPhi: "There must be exactly one Parent i for each parent block of the current block in the
// CFG." Unreachable predecessors count too.
Found PhiHasEachPredecessorOnce(const FlowConstructs& flow) {
  const Module& module = flow.module();
  std::vector<uint32_t> seen(flow.blocks().size(), 0);
  // Even; a predecessor is marked with it, and with stamp + 1 once an input names it.
  uint32_t stamp = 0;
  for (Block block : flow.blocks()) {
    for (Inst i = module.First(block); i != Inst::kNone; i = module.Next(i)) {
      if (module.Opcode(i) != spv::Op::OpPhi) continue;
      stamp += 2;
      for (Block from : flow.flow().Predecessors(block)) seen[flow.flow().Slot(from)] = stamp;
      if (Found found = JudgePhi(flow, block, i, &seen, stamp)) return found;
    }
  }
  return std::nullopt;
}

// OpLoopMerge: "This instruction must immediately precede either an OpBranch or OpBranchConditional
// instruction. That is, it must be the second-to-last instruction in its block."
Found LoopMergeBeforeBranch(const FlowConstructs& flow) {
  for (Block block : flow.blocks()) {
    if (!flow.IsLoopHeader(block) || flow.EndsWith(block, spv::Op::OpBranch) ||
        flow.EndsWith(block, spv::Op::OpBranchConditional)) {
      continue;
    }
    return Fault({block}, "a loop header ends with neither OpBranch nor OpBranchConditional");
  }
  return std::nullopt;
}

// OpSelectionMerge: "This instruction must immediately precede either an OpBranchConditional or
// OpSwitch instruction."
Found SelectionMergeBeforeSelection(const FlowConstructs& flow) {
  for (Block block : flow.blocks()) {
    if (!flow.IsHeader(block) || flow.IsLoopHeader(block) ||
        flow.EndsWith(block, spv::Op::OpSwitch) ||
        flow.EndsWith(block, spv::Op::OpBranchConditional)) {
      continue;
    }
    return Fault({block}, "a selection header ends with neither OpBranchConditional nor OpSwitch");
  }
  return std::nullopt;
}

// OpBranchConditional: "Starting with version 1.6, True Label and False Label must not be the same
// <id>."
Found BranchLabelsDiffer(const FlowConstructs& flow) {
  const Module& module = flow.module();
  for (Block block : flow.blocks()) {
    const Inst branch = module.Terminator(block);
    if (module.Opcode(branch) != spv::Op::OpBranchConditional ||
        module.IdAt(branch, 1) != module.IdAt(branch, 2)) {
      continue;
    }
    return Fault({block}, "from SPIR-V 1.6 on, the two labels of a conditional branch must differ");
  }
  return std::nullopt;
}

}  // namespace flow_rules
}  // namespace ir
}  // namespace refract
