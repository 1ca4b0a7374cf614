// SPDX-License-Identifier: Apache-2.0
#include "ir/rules/flow_rules.h"

#include <algorithm>

#include "base/text.h"
#include "ir/rules/flow_rule_functions.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace ir {
namespace {

constexpr FlowScope kEvery = FlowScope::kEvery, kShader = FlowScope::kShader;

constexpr FlowRule kRules[] = {
    {"block_form", "2.16.1",
     "each block starts with a label and ends with a block termination instruction; all branches "
     "within a function are to labels in that function",
     kEvery, 0, nullptr},
    {"entry_block_not_targeted", "2.16.1",
     "the first block in a function definition must not be the target of any branch", kEvery, 0,
     flow_rules::EntryBlockNotTargeted},
    {"block_after_its_dominator", "2.16.1", "blocks appear before all blocks they dominate", kEvery,
     0, flow_rules::BlockAfterItsDominator},
    {"phi_has_each_predecessor_once", "OpPhi",
     "there is exactly one parent for each predecessor of the block", kEvery, 0,
     flow_rules::PhiHasEachPredecessorOnce},
    {"loop_merge_before_branch", "OpLoopMerge",
     "it must immediately precede either an OpBranch or OpBranchConditional", kEvery, 0,
     flow_rules::LoopMergeBeforeBranch},
    {"selection_merge_before_selection", "OpSelectionMerge",
     "it must immediately precede either an OpBranchConditional or OpSwitch", kEvery, 0,
     flow_rules::SelectionMergeBeforeSelection},
    {"branch_labels_differ", "OpBranchConditional",
     "starting with version 1.6, True Label and False Label must not be the same", kEvery,
     0x00010600, flow_rules::BranchLabelsDiffer},

    {"merge_block_declared_once", "2.11.1",
     "the merge block declared by a header block must not be a merge block declared by any other "
     "header block",
     kShader, 0, flow_rules::MergeBlockDeclaredOnce},
    {"switch_has_merge_block", "2.16.2",
     "an OpSelectionMerge is required to precede an OpSwitch instruction", kShader, 0,
     flow_rules::SwitchHasMergeBlock},
    {"header_dominates_merge_block", "2.11.1",
     "each header block must strictly structurally dominate its merge block", kShader, 0,
     flow_rules::HeaderDominatesMergeBlock},
    {"merge_block_is_not_continue_target", "2.11.1",
     "the Continue Target and merge block must be different blocks", kShader, 0,
     flow_rules::MergeBlockIsNotContinueTarget},
    {"loop_header_dominates_continue_target", "2.11.1",
     "the loop header must structurally dominate the Continue Target", kShader, 0,
     flow_rules::LoopHeaderDominatesContinueTarget},
    {"back_edge_to_loop_header", "2.11.1", "all back edges must branch to a loop header", kShader,
     0, flow_rules::BackEdgeToLoopHeader},
    {"one_back_edge_for_each_loop", "2.11.1",
     "with each loop header having exactly one back edge branching to it", kShader, 0,
     flow_rules::OneBackEdgeForEachLoop},
    {"no_other_cycle", "2.2.5",
     "the CFG defined by the function's structured control-flow edges is reducible", kShader, 0,
     flow_rules::NoOtherCycle},
    {"continue_target_dominates_back_edge", "2.11.1",
     "the Continue Target must structurally dominate the back-edge block", kShader, 0,
     flow_rules::ContinueTargetDominatesBackEdge},
    {"back_edge_post_dominates_continue_target", "2.11.1",
     "the back-edge block must structurally post dominate the Continue Target", kShader, 0,
     flow_rules::BackEdgePostDominatesContinueTarget},

    {"nesting_is_limited", "2.17", "control-flow nesting depth is at most 1,023", kShader, 0,
     flow_rules::NestingIsLimited},
    {"header_with_its_merge_block", "2.11.3",
     "a construct that contains the header block of another one must also contain that construct's "
     "merge block",
     kShader, 0, flow_rules::HeaderWithItsMergeBlock},
    {"construct_entered_at_header", "2.11.3",
     "all branches into a construct from structurally reachable blocks outside of it must be to "
     "its "
     "header block",
     kShader, 0, flow_rules::ConstructEnteredAtHeader},
    {"continue_target_entered_from_loop", "2.11.3",
     "a branch to a loop's continue target that is not a back edge must be from a block of the "
     "loop "
     "construct, but for a single-block loop",
     kShader, 0, flow_rules::ContinueTargetEnteredFromLoop},
    {"continue_construct_exit", "2.11.3",
     "a branch edge that exits a continue construct must branch to the header block or merge block "
     "of the associated loop, from the back-edge block",
     kShader, 0, flow_rules::ContinueConstructExit},
    {"construct_exit", "2.11.3",
     "a branch that exits a construct must be one of those listed: to its merge block, to the "
     "innermost loop's merge block or continue target, to the next case, to the innermost switch's "
     "merge block",
     kShader, 0, flow_rules::ConstructExit},

    {"switch_dominates_cases", "2.11.3",
     "the header block of a switch must structurally dominate every case construct of it", kShader,
     0, flow_rules::SwitchDominatesCases},
    {"case_branches_to_one_case", "2.11.3",
     "each case construct must not branch to more than one other case construct", kShader, 0,
     flow_rules::CaseBranchesToOneCase},
    {"case_branched_to_by_one_case", "2.11.3",
     "each case construct must not be branched to by more than one other case construct", kShader,
     0, flow_rules::CaseBranchedToByOneCase},
    {"case_labels_together", "2.11.3",
     "all targets with the same label must appear consecutively in the list of targets", kShader, 0,
     flow_rules::CaseLabelsTogether},
    {"case_before_its_successor", "2.11.3",
     "where case T1 branches to case T2, also by way of a Default that is not listed, the last "
     "target T1 must immediately precede the first target T2",
     kShader, 0, flow_rules::CaseBeforeItsSuccessor},

    {"selection_has_merge_block", "2.16.2",
     "an OpSelectionMerge is required to precede an OpBranchConditional with different labels "
     "where "
     "neither are declared merge blocks or Continue Targets",
     kShader, 0, flow_rules::SelectionHasMergeBlock},
    {"loop_header_leaves_one_way", "2.16.2",
     "an OpBranchConditional of a loop header is no selection, so one of its labels is the loop's "
     "merge block or Continue Target",
     kShader, 0, flow_rules::LoopHeaderLeavesOneWay},
};

// The name that an OpName gives the id; empty if not found.
std::string NameGiven(const Module& module, Id id) {
  std::string name;
  ForEachUse(module, id, [&](Use use) {
    const Inst user = module.User(use);
    if (module.Opcode(user) != spv::Op::OpName || module.OperandIndex(use) != 0) return;
    name.clear();
    for (uint32_t i = 1; i < module.OperandCount(user); ++i) {
      for (uint32_t word = module.Word(user, i); word != 0; word >>= 8) {
        const char c = static_cast<char>(word & 0xff);
        name += c >= 0x20 && c < 0x7f ? c : '?';
      }
    }
  });
  return name;
}

}  // namespace

std::span<const FlowRule> FlowRules() {
  return kRules;
}

const FlowRule* FindFlowRule(std::string_view name) {
  for (const FlowRule& rule : kRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::optional<FlowFault> FindFlowFault(const FlowConstructs& flow, bool shader) {
  for (const FlowRule& rule : kRules) {
    if (rule.find == nullptr || flow.module().version() < rule.since) continue;
    if (rule.scope == FlowScope::kShader && !shader) continue;
    if (std::optional<FlowFault> fault = rule.find(flow)) {
      fault->rule = rule.name;
      fault->function = flow.function();
      std::vector<Block> once;
      for (Block block : fault->blocks) {
        if (std::find(once.begin(), once.end(), block) == once.end()) once.push_back(block);
      }
      fault->blocks = std::move(once);
      return fault;
    }
  }
  return std::nullopt;
}

std::optional<FlowFault> FindFlowFault(const Module& module, Function function, FlowMode mode) {
  if (module[function].first == Block::kNone) return std::nullopt;
  if (const Status form = validity::CheckBlocks(module, function); !form) {
    return FlowFault{kRules[0].name, function, {}, form.error().message};
  }
  const bool shader = validity::HasCapability(module, spv::Capability::Shader);
  if (mode == FlowMode::kOlder &&
      !FindFlowFault(FlowConstructs(module, function, FlowMode::kStrict), shader)) {
    return std::nullopt;
  }
  return FindFlowFault(FlowConstructs(module, function, mode), shader);
}

std::string CalledWithName(const Module& module, Id id) {
  std::string text = format("%{}", module.FileId(id));
  if (const std::string name = NameGiven(module, id); !name.empty()) text += " (" + name + ")";
  return text;
}

std::string Describe(const Module& module, const FlowFault& fault) {
  std::string text = format("{}: {}", fault.rule, fault.what);
  for (size_t i = 0; i < fault.blocks.size(); ++i) {
    text += i == 0 ? (fault.blocks.size() == 1 ? ": block " : ": blocks ") : ", ";
    text += CalledWithName(module, module.LabelId(fault.blocks[i]));
  }
  const Inst definition = module[fault.function].definition;
  if (definition == Inst::kNone || fault.blocks.empty()) return text;
  return text + format(" of function {}", CalledWithName(module, module.Result(definition)));
}

}  // namespace ir
}  // namespace refract
