// SPDX-License-Identifier: Apache-2.0
#include "ir/flow_quirks.h"

#include <algorithm>

#include "ir/branches.h"

namespace refract {
namespace {

using Flow = FlowConstructs;

bool PassesAsSpirvVal(const Flow& flow) {
  return !FindFlowFault(FlowConstructs(flow.module(), flow.function(), FlowMode::kSpirvVal), true);
}

bool FallsThrough(const Flow& flow, Block block) {
  const auto labels = flow.flow().Successors(block);
  return std::any_of(labels.begin(), labels.end(), [&](Block label) {
    return flow.ExitOf(block, label) == FlowExit::kFallThrough;
  });
}

bool IsConditionalFallThrough(const Flow& flow, const FlowFault* fault, Block) {
  return FallsThrough(flow, fault->blocks[0]) && PassesAsSpirvVal(flow);
}
bool IsLabelSeenBefore(const Flow& flow, const FlowFault* fault, Block) {
  return !FallsThrough(flow, fault->blocks[0]) && PassesAsSpirvVal(flow);
}
bool IsLetPass(const Flow& flow, const FlowFault*, Block) {
  return PassesAsSpirvVal(flow);
}

bool HasUnreachablePredecessorOfContinue(const Flow& flow, const FlowFault*, Block) {
  for (Block block : flow.blocks()) {
    if (flow.Reached(block)) continue;
    for (Block to : flow.flow().Successors(block)) {
      if (flow.flow().IsContinueTarget(to) && flow.Reached(to)) return true;
    }
  }
  return false;
}

bool IsInUnreachableBlock(const Flow& flow, const FlowFault*, Block at) {
  return at != Block::kNone && !flow.Reached(at);
}

bool IsContinueTargetAbove(const Flow& flow, const FlowFault* fault, Block) {
  return fault->blocks.size() > 1 && flow.Dominates(fault->blocks[1], fault->blocks[0]);
}

bool IsFaultUnreachable(const Flow& flow, const FlowFault* fault, Block) {
  return !flow.Reached(fault->blocks[0]);
}

bool EndIsUnreachable(const Flow& flow, const FlowFault*, Block) {
  return std::none_of(flow.blocks().begin(), flow.blocks().end(), [&](Block block) {
    return flow.Reached(block) && flow.flow().Successors(block).empty();
  });
}

constexpr FlowQuirk kQuirks[] = {
    {"conditional_fall_through", true, "selection_has_merge_block",
     "a branch without merge instruction to the next case or to more of its own",
     IsConditionalFallThrough},
    {"label_seen_before", true, "selection_has_merge_block",
     "a branch without merge instruction, one label of which an earlier block has, too",
     IsLabelSeenBefore},
    {"parallel_back_edges", true, "one_back_edge_for_each_loop",
     "both labels of a back-edge block's branch are the loop header", IsLetPass},
    {"loop_header_without_exit", true, "loop_header_leaves_one_way",
     "a loop header with a conditional branch to two blocks of the body", IsLetPass},
    {"case_order_behind_unreachable_merge", true, "case_before_its_successor",
     "a fall-through from a block that no branch reaches is overlooked", IsLetPass},
    {"labels_apart", true, "case_labels_together",
     "equal labels of a switch with others between them", IsLetPass},
    {"continue_target_above_loop", true, "loop_header_dominates_continue_target",
     "a continue target that dominates its loop header", IsContinueTargetAbove},
    {"unreachable_own_merge_block", true, "header_dominates_merge_block",
     "a header that cannot be reached is its own merge block", IsFaultUnreachable},
    {"no_end", true, "continue_construct_exit",
     "where no function termination can be reached every block post-dominates every other",
     EndIsUnreachable},
    {"unreachable_predecessor_of_continue", false, "not contained in the associated loop construct",
     "a block that cannot be reached branches to a continue target",
     HasUnreachablePredecessorOfContinue},
    {"unreachable_cycle", false, "can only be formed between a block and a loop header",
     "a cycle of blocks that cannot be reached", IsInUnreachableBlock},
    {"unreachable_construct", false, "construct with the ",
     "a construct the header of which cannot be reached", IsInUnreachableBlock},
};

std::string_view QuirkOf(const Module& module, const FlowJudgement& judged, Block at,
                         FlowMode mode) {
  if (judged.fault && judged.fault->rule == FlowRules()[0].name) return {};
  const FlowConstructs flow(module, judged.function, mode);
  for (const FlowQuirk& quirk : kQuirks) {
    if (quirk.accepts != judged.fault.has_value()) continue;
    const bool about = quirk.accepts ? judged.fault->rule == quirk.about
                                     : judged.message.find(quirk.about) != std::string::npos;
    if (about && quirk.fits(flow, judged.fault ? &*judged.fault : nullptr, at)) return quirk.name;
  }
  return {};
}

// The instruction with this number in the file, counted from 1; none.
Inst InstructionAt(const Module& module, uint32_t number) {
  uint32_t next = 0;
  Inst found = Inst::kNone;
  const auto list = [&](Block block) {
    ForEachInstruction(module, block, [&](Inst inst) {
      if (++next == number) found = inst;
    });
  };
  for (uint32_t s = 1; s < Index(Section::kTrailer); ++s) list(static_cast<Block>(s));
  ForEachFunction(module, [&](Function function) {
    list(module[function].head);
    ForEachBlock(module, function, list);
    list(module[function].tail);
  });
  return found;
}

}  // namespace

std::span<const FlowQuirk> FlowQuirks() {
  return kQuirks;
}

bool IsAboutFlow(std::string_view message) {
  constexpr std::string_view kParts[] = {
      "is already a merge block for another header",
      "structurally dominate",
      "structuturally dominate",
      "structurally post dominate",
      "can only be formed between a block and a loop header",
      "back-edge blocks but the standard requires exactly one",
      "but not via a structured exit",
      " construct, but not to the ",
      ", but its merge block ",
      "not contained in the associated loop construct",
      "Selection must be structured",
      "must be preceded by an OpSelectionMerge",
      "Case construct that targets ",
      "Multiple case constructs have branches",
      "appears in the binary before its dominator",
      "First block ",
      "True Label and False Label must be different",
      "Merge Block and Continue Target must be different",
      "Merge Block may not be the block containing",
      "must immediately precede either an OpBranch",
      "OpPhi's number of incoming blocks",
      "OpPhi's incoming basic block",
      "control-flow nesting",
  };
  return std::any_of(std::begin(kParts), std::end(kParts), [&](std::string_view part) {
    return message.find(part) != std::string_view::npos;
  });
}

std::vector<FlowJudgement> JudgeFlow(const Module& module, std::span<const uint32_t> words,
                                     TargetEnvironment environment, FlowMode mode) {
  const std::optional<ValidationError> invalid = FindInvalid(words, environment);
  const bool about = invalid && IsAboutFlow(invalid->message);
  const Inst inst = about ? InstructionAt(module, invalid->instruction) : Inst::kNone;
  std::vector<FlowJudgement> judgements;
  ForEachFunction(module, [&](Function function) {
    if (module[function].first == Block::kNone) return;
    FlowJudgement judged;
    judged.function = function;
    judged.fault = FindFlowFault(module, function, mode);
    if (!invalid) judged.spirv_val = SpirvValVerdict::kAccepted;
    Block at = Block::kNone;
    if (inst != Inst::kNone && module.FunctionOf(inst) == function) {
      judged.spirv_val = SpirvValVerdict::kRefused;
      judged.message = invalid->message.substr(0, invalid->message.find('\n'));
      at = module.BlockOf(inst);
    }
    if (judged.differ()) judged.quirk = QuirkOf(module, judged, at, mode);
    judgements.push_back(std::move(judged));
  });
  return judgements;
}

}  // namespace refract
