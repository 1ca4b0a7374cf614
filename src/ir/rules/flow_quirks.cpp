// SPDX-License-Identifier: Apache-2.0
#include "ir/rules/flow_quirks.h"

#include <algorithm>

#include "ir/branches.h"

namespace refract {
inline namespace ir {
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

// The nesting depth of blocks as spirv-val computed it until 2024.3: by branch dominance, one
// deeper below a header or in a continue construct, and a merge block as deep as its header.
class Depths {
 public:
  explicit Depths(const Flow& flow) : flow_(flow), depth_(flow.blocks().size(), 0) {
    // Parents come first, and headers before their merge blocks and continue targets.
    for (uint32_t slot : flow.flow().dominators.Preorder()) {
      depth_[slot] = Of(flow.flow().AtSlot(slot));
    }
  }
  uint32_t operator[](Block block) const { return depth_[flow_.flow().Slot(block)]; }

 private:
  uint32_t Of(Block block) const {
    const ControlFlow& flow = flow_.flow();
    const Block above = flow.ImmediateDominator(block);
    if (above == Block::kNone) return 0;
    // A continue target that is also a single-block loop was counted only as the continue target of
    // that loop.
    if (flow_.IsLoopHeader(block) && flow_.ContinueTargetOf(block) == block) {
      return 1 + (*this)[above];
    }
    if (const Block loop = flow.HeaderOfContinue(block); loop != Block::kNone) {
      return 1 + (*this)[loop];
    }
    if (const Block header = flow.HeaderOfMerge(block); header != Block::kNone) {
      return (*this)[header];
    }
    return (*this)[above] + (flow_.IsHeader(above) ? 1 : 0);
  }

  const Flow& flow_;
  std::vector<uint32_t> depth_;  // by slot
};

// Calls `visit(label of the case, target)` for branches from a case construct of a switch to a
// block that is neither a case of the switch nor its merge block.
template <class Visit>
bool AnyExitOfCase(const Flow& flow, Visit visit) {
  for (Block from : flow.blocks()) {
    if (!flow.Reached(from)) continue;
    for (Block to : flow.flow().Successors(from)) {
      bool found = false;
      flow.ForEachAround(from, [&](const FlowConstruct& around) {
        if (around.kind != FlowKind::kCase) return true;
        if (flow.Contains(around, to)) return false;  // and so do the constructs around it
        found = to != around.merge && !flow.IsCaseOf(around.header, to) && visit(around.head, to);
        return !found;
      });
      if (found) return true;
    }
  }
  return false;
}

bool LooksShallower(const Flow& flow, const Depths& depths, Block target, Block outside) {
  return depths[outside] < depths[target] ||
         (depths[outside] == depths[target] && flow.flow().IsContinueTarget(outside));
}

// A break or continue leaves a case for a block that spirv-val takes to be at least as deep as the
// case.
bool IsExitOfDeepCase(const Flow& flow, const FlowFault*, Block) {
  const Depths depths(flow);
  return AnyExitOfCase(flow, [&](Block target, Block outside) {
    return !LooksShallower(flow, depths, target, outside);
  });
}

// A branch that is not allowed leaves a case for a block that spirv-val takes to be less deep.
bool IsExitOfShallowCase(const Flow& flow, const FlowFault* fault, Block) {
  const Depths depths(flow);
  const Block bad = fault->blocks.size() > 1 ? fault->blocks[1] : Block::kNone;
  return AnyExitOfCase(flow, [&](Block target, Block outside) {
    return outside == bad && LooksShallower(flow, depths, target, outside);
  });
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

bool IsWalkFromUnreachable(const Flow& flow, const FlowFault* fault, Block at) {
  if (IsInUnreachableBlock(flow, fault, at)) return true;
  return std::any_of(flow.blocks().begin(), flow.blocks().end(), [&](Block block) {
    const auto labels = flow.flow().Successors(block);
    return !flow.Reached(block) && std::any_of(labels.begin(), labels.end(),
                                               [&](Block label) { return flow.Reached(label); });
  });
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
     "a branch without merge instruction to the next case or within its own case",
     IsConditionalFallThrough},
    {"label_seen_before", true, "selection_has_merge_block",
     "a branch without merge instruction; an earlier block branches to one of its labels too",
     IsLabelSeenBefore},
    {"parallel_back_edges", true, "one_back_edge_for_each_loop",
     "both labels of a back-edge block's branch are the loop header", IsLetPass},
    {"loop_header_without_exit", true, "loop_header_leaves_one_way",
     "a loop header whose conditional branch has both labels in the loop body", IsLetPass},
    {"case_order_behind_unreachable_merge", true, "case_before_its_successor",
     "a fall-through from a block that no branch reaches, in the wrong order of cases", IsLetPass},
    {"cases_meet_behind_unreachable_merge", true, "case_branched_to_by_one_case",
     "two cases fall through to one case, from a block that no branch reaches", IsLetPass},
    {"case_parts_behind_unreachable_merge", true, "case_branches_to_one_case",
     "a case falls through to two others, from a block that no branch reaches", IsLetPass},
    {"labels_apart", true, "case_labels_together",
     "equal labels of a switch with other labels between them", IsLetPass},
    {"cases_join", true, "construct_exit",
     "cases branch to a common block that is not a case, and spirv-val computes a smaller nesting "
     "depth for that block",
     IsExitOfShallowCase},
    {"continue_target_above_loop", true, "loop_header_dominates_continue_target",
     "a continue target that dominates its loop header", IsContinueTargetAbove},
    {"unreachable_own_merge_block", true, "header_dominates_merge_block",
     "an unreachable header is its own merge block", IsFaultUnreachable},
    {"no_end", true, "continue_construct_exit",
     "no function termination is reachable, so every block post-dominates every other block",
     EndIsUnreachable},
    {"case_exit_by_depth", false, " has invalid branch to block ",
     "a break or continue out of a case, to a block for which spirv-val computes at least the same "
     "nesting depth",
     IsExitOfDeepCase},
    {"unreachable_predecessor_of_continue", false, "not contained in the associated loop construct",
     "an unreachable block branches to a continue target", HasUnreachablePredecessorOfContinue},
    {"walk_from_unreachable", false, "can only be formed between a block and a loop header",
     "a cycle that spirv-val finds by a walk from unreachable blocks", IsWalkFromUnreachable},
    {"unreachable_construct", false, "construct with the ",
     "a construct whose header is unreachable", IsInUnreachableBlock},
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

// The instruction with this number in the file, counted from 1; kNone if not found.
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

std::string_view QuirkOfRefusal(const Module& module, const ValidationError& refusal) {
  const Inst inst = InstructionAt(module, refusal.instruction);
  if (inst == Inst::kNone || !IsAboutFlow(refusal.message)) return {};
  FlowJudgement judged;
  judged.function = module.FunctionOf(inst);
  if (judged.function == Function::kNone || FindFlowFault(module, judged.function)) return {};
  judged.message = refusal.message;
  return QuirkOf(module, judged, module.BlockOf(inst), FlowMode::kStrict);
}

std::vector<FlowJudgement> JudgeFlow(const Module& module,
                                     const std::optional<ValidationError>& invalid, FlowMode mode) {
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

}  // namespace ir
}  // namespace refract
