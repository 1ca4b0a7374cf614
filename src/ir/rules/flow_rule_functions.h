// SPDX-License-Identifier: Apache-2.0
// The functions of the rules in flow_rules.h, one for each rule and named after it. Each returns
// the first fault that it finds, in the order in which blocks are listed. The caller sets `rule`
// and `function` of the fault.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/rules/flow_rules.h"

namespace refract {
inline namespace ir {
namespace flow_rules {

using Found = std::optional<FlowFault>;
inline Found Fault(std::vector<Block> blocks, std::string what) {
  return FlowFault{{}, Function::kNone, std::move(blocks), std::move(what)};
}

// Rules on blocks, for every module (flow_rules_blocks.cpp).
Found EntryBlockNotTargeted(const FlowConstructs& flow);
Found BlockAfterItsDominator(const FlowConstructs& flow);
Found PhiHasEachPredecessorOnce(const FlowConstructs& flow);
Found LoopMergeBeforeBranch(const FlowConstructs& flow);
Found SelectionMergeBeforeSelection(const FlowConstructs& flow);
Found BranchLabelsDiffer(const FlowConstructs& flow);

// Rules on merge blocks, continue targets and cycles (flow_rules_declarations.cpp).
Found MergeBlockDeclaredOnce(const FlowConstructs& flow);
Found SwitchHasMergeBlock(const FlowConstructs& flow);
Found HeaderDominatesMergeBlock(const FlowConstructs& flow);
Found MergeBlockIsNotContinueTarget(const FlowConstructs& flow);
Found LoopHeaderDominatesContinueTarget(const FlowConstructs& flow);
Found BackEdgeToLoopHeader(const FlowConstructs& flow);
Found OneBackEdgeForEachLoop(const FlowConstructs& flow);
Found NoOtherCycle(const FlowConstructs& flow);
Found ContinueTargetDominatesBackEdge(const FlowConstructs& flow);
Found BackEdgePostDominatesContinueTarget(const FlowConstructs& flow);

// Rules on constructs (flow_rules_constructs.cpp).
Found NestingIsLimited(const FlowConstructs& flow);
Found HeaderWithItsMergeBlock(const FlowConstructs& flow);
Found ConstructEnteredAtHeader(const FlowConstructs& flow);
Found ContinueTargetEnteredFromLoop(const FlowConstructs& flow);
Found ContinueConstructExit(const FlowConstructs& flow);
Found ConstructExit(const FlowConstructs& flow);
Found SelectionHasMergeBlock(const FlowConstructs& flow);
Found LoopHeaderLeavesOneWay(const FlowConstructs& flow);

// Rules on switches (flow_rules_switch.cpp).
Found SwitchDominatesCases(const FlowConstructs& flow);
Found CaseBranchesToOneCase(const FlowConstructs& flow);
Found CaseBranchedToByOneCase(const FlowConstructs& flow);
Found CaseBeforeItsSuccessor(const FlowConstructs& flow);
Found CaseLabelsTogether(const FlowConstructs& flow);

}  // namespace flow_rules
}  // namespace ir
}  // namespace refract
