// SPDX-License-Identifier: Apache-2.0
// Simplifies branches on constants, negated conditions, and cases with the same target as the
// default. Also removes the merge instruction of the selection if nothing else needs the construct:
// no branch leaves it from inside another construct or needs it to leave without a merge
// instruction (SPIR-V 2.11.2).
#include "planted/flow.h"
#include "planted/passes.h"

namespace refract::planted {
namespace {

class Simplifier {
 public:
  Simplifier(Function* function, const Definitions& definitions, Bugs* bugs)
      : bugs_(*bugs), function_(*function), definitions_(definitions), flow_(*function) {}

  bool Run() {
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      // A continue construct ends at its back edge, whatever is on the path (SPIR-V 2.11.2).
      // Without some edges there might be no path to it.
      if (!flow_.Reachable(i) || flow_.InContinue(i)) continue;
      const spv::Op op = function_.blocks[i].End().op;
      if (op == spv::Op::OpBranchConditional) VisitBranch(i);
      if (op == spv::Op::OpSwitch) VisitSwitch(i);
    }
    return changed_;
  }

 private:
  void VisitBranch(uint32_t block) {
    Instruction& branch = function_.blocks[block].End();
    Instruction* condition = definitions_[branch.Id(0)];
    if (condition != nullptr && condition->op == spv::Op::OpLogicalNot) {
      NegationBugs(block, &branch);
      branch.in[0] = condition->in[0];
      std::swap(branch.in[1], branch.in[2]);
      if (branch.in.size() == 5) std::swap(branch.in[3], branch.in[4]);
      condition = definitions_[branch.Id(0)];
    }
    bool truth = false;
    const bool one_way = branch.Id(1) == branch.Id(2);
    if (!one_way && (condition == nullptr || !definitions_.BoolValue(condition->result, &truth))) {
      return;
    }
    GoTo(block, branch.Id(truth ? 1 : 2));
  }

  // The bugs of the exchange that follows.
  void NegationBugs(uint32_t block, Instruction* branch) {
    const Instruction* merge = function_.blocks[block].Merge();
    const bool is_selection = merge != nullptr && merge->op == spv::Op::OpSelectionMerge;
    const bool weights = HasNewWeights(*branch);
    if (is_selection && branch->Id(1) == merge->Id(0) && bugs_.At(Bug::kNegatedToMerge)) {
      std::swap(branch->in[1], branch->in[2]);
    }
    if (is_selection && weights && merge->Word(1) != 0 && branch->Id(1) == merge->Id(0) &&
        bugs_.At(Bug::kThreeHints)) {
      std::swap(branch->in[1], branch->in[2]);
    }
  }

  void VisitSwitch(uint32_t block) {
    Instruction& branch = function_.blocks[block].End();
    uint32_t value = 0;
    if (!definitions_.IntValue(branch.Id(0), &value)) return;
    uint32_t target = branch.Id(1);
    for (size_t i = 2; i + 1 < branch.in.size(); i += 2) {
      if (branch.Word(i) != value) continue;
      target = branch.Id(i + 1);
      if (i + 2 == branch.in.size() && function_.blocks[block].Merge()->Word(1) != 0 &&
          bugs_.At(Bug::kSwitchLastCase)) {
        target = branch.Id(1);
      }
      if (HasTwoWays(branch, i) && bugs_.At(Bug::kSwitchMany)) {
        target = TargetAfter(definitions_[0]);
      }
    }
    GoTo(block, target);
  }

  // Whether another case has the same target as case `i`.
  bool HasTwoWays(const Instruction& branch, size_t i) const {
    size_t count = 0;
    for (size_t j = 2; j + 1 < branch.in.size(); j += 2) {
      count += branch.Id(j + 1) == branch.Id(i + 1);
    }
    return count > 1;
  }

  // Whether it is a switch with at least two cases, one of which no reference has: theirs are up to
  // 9, or letters.
  static bool HasTwoCasesOneNew(const Instruction& branch) {
    bool is_new = false;
    for (size_t i = 2; branch.op == spv::Op::OpSwitch && i + 1 < branch.in.size(); i += 2) {
      const auto value = static_cast<int32_t>(branch.Word(i));
      is_new |= value > 9 && (value < 'a' || value > 'z');
    }
    return is_new && branch.in.size() > 4;
  }

  // Whether a block of the selection has code, so that it was not empty from the beginning.
  bool DoesAnything(uint32_t header) const {
    for (const uint32_t next : flow_.successors[header]) {
      if (next != flow_.merge[header] && function_.blocks[next].code.size() > 1) return true;
    }
    return false;
  }

  // Replaces the branch at the end of `block` by one to `target`, if this is allowed.
  void GoTo(uint32_t block, uint32_t target) {
    Block& from = function_.blocks[block];
    for (const uint32_t other : flow_.successors[block]) {
      // A loop keeps its back edge, even if it is never taken (SPIR-V 2.11.2).
      const bool is_loop = flow_.continue_target[other] != Flow::kNone;
      if (is_loop && flow_.dominators.Dominates(other, block)) return;
    }
    Instruction* merge = from.Merge();
    if (merge != nullptr && merge->op == spv::Op::OpSelectionMerge && IsDeadEnd(block, target) &&
        merge->Word(1) != 0 && HasNewWeights(from.End()) && bugs_.At(Bug::kDeadEnd)) {
      target = from.End().Id(from.End().Id(1) == target ? 2 : 1);
    }
    if (merge != nullptr && merge->op == spv::Op::OpSelectionMerge) {
      const bool hinted = merge->Word(1) != 0;
      if (hinted && HasNewWeights(from.End()) && bugs_.At(Bug::kEndlessHints)) {
        changed_ = true;
        return;
      }
      if (hinted && LeadsToLoop(block, target) && bugs_.At(Bug::kHintedDeadLoop)) {
        PLANTED_ASSERT(flow_.continue_target[block] != Flow::kNone);
      }
      if (hinted && HasTwoCasesOneNew(from.End()) && DoesAnything(block) &&
          bugs_.At(Bug::kSwitchHinted)) {
        PLANTED_ASSERT(from.End().op == spv::Op::OpBranchConditional);
      }
      if (!MayLose(block)) return;
      merge->Remove();
    }
    const uint32_t target_index = flow_.Index(target);
    for (const uint32_t other : flow_.successors[block]) {
      if (other != target_index) DropPhiInputs(&function_.blocks[other], from.label);
    }
    from.End() = {spv::Op::OpBranch, 0, 0, {IdOperand(target)}};
    std::erase_if(from.code,
                  [](const Instruction& instruction) { return instruction.op == spv::Op::OpNop; });
    changed_ = true;
  }

  // Whether `is` holds for a block that is reached only by the branch not taken.
  template <class Is>
  bool IsBehindOther(uint32_t block, uint32_t target, const Is& is) const {
    for (const uint32_t next : flow_.successors[block]) {
      if (function_.blocks[next].label == target) continue;
      for (uint32_t behind = 0; behind < function_.blocks.size(); ++behind) {
        if (flow_.Reachable(behind) && flow_.dominators.Dominates(next, behind) && is(behind)) {
          return true;
        }
      }
    }
    return false;
  }

  // Whether the branch not taken leads to a loop whose condition has new weights.
  bool LeadsToLoop(uint32_t block, uint32_t target) const {
    return IsBehindOther(block, target, [&](uint32_t behind) {
      return flow_.continue_target[behind] != Flow::kNone && HasNewCondition(behind);
    });
  }

  // The condition is in the header or in its successor.
  bool HasNewCondition(uint32_t loop) const {
    bool is_new = HasNewWeights(function_.blocks[loop].End());
    for (const uint32_t next : flow_.successors[loop]) {
      is_new |= HasNewWeights(function_.blocks[next].End());
    }
    return is_new;
  }

  // Whether the branch not taken may end the function.
  bool IsDeadEnd(uint32_t block, uint32_t target) const {
    return IsBehindOther(block, target,
                         [&](uint32_t behind) { return flow_.successors[behind].empty(); });
  }

  // Whether the merge instruction of `header` can be removed. The graph is from before this pass.
  // Edges that were removed since can only turn the answer from yes to no.
  bool MayLose(uint32_t header) const {
    const uint32_t merge = flow_.merge[header];
    for (const uint32_t before : flow_.predecessors[merge]) {
      if (before == header) continue;
      if (!flow_.structural.Reached(before)) return false;
      if (function_.blocks[before].End().op != spv::Op::OpBranch) return false;
      if (flow_.InnermostHeader(before) != header) return false;
    }
    return true;
  }

  Bugs& bugs_;
  Function& function_;
  const Definitions& definitions_;
  const Flow flow_;
  bool changed_ = false;
};

}  // namespace

void SimplifyBranches(Program* program) {
  constexpr int kMostRounds = 20;  // each needs a new graph
  const Definitions definitions(*program);
  for (Function& function : program->functions) {
    if (function.blocks.empty()) continue;
    int rounds = 0;
    while ((rounds < kMostRounds || program->bugs.IsOn(Bug::kEndlessHints)) &&
           Simplifier(&function, definitions, &program->bugs).Run()) {
      ++rounds;
    }
    if (rounds > 0) OrderBlocks(&function);
  }
}

}  // namespace refract::planted
