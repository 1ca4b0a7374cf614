// SPDX-License-Identifier: Apache-2.0
// Looks at divergent branches. Without a bug, it leaves all of them as they are. With a bug, it
// changes what a branch does to some invocations only, so that it does so to all.
#include "planted/passes.h"
#include "planted/uniformity.h"

namespace refract::planted {
namespace {

using spv::Op;

class Mover {
 public:
  explicit Mover(Program* program) : program_(*program), uniformity_(program) {}

  void Run() {
    for (number_ = 0; number_ < program_.functions.size(); ++number_) {
      for (uint32_t block = 0; block < function().blocks.size(); ++block) {
        if (!flow().Reachable(block) || flow().merge[block] == Flow::kNone ||
            flow().continue_target[block] != Flow::kNone ||
            !uniformity_.IsDivergentBranch(number_, block)) {
          continue;
        }
        if (function().blocks[block].End().op == Op::OpSwitch) {
          EndCases(block);
        } else {
          GoOnAfterReturns(block);
          SinkStore(block);
          HoistStore(block);
        }
      }
    }
  }

 private:
  Function& function() { return program_.functions[number_]; }
  const Flow& flow() const { return uniformity_.FlowOf(number_); }

  static bool HasPhi(const Block& block) {
    return !block.code.empty() && block.code[0].op == Op::OpPhi;
  }
  // Whether a new branch from the construct of the header to its merge block leaves all dominators
  // as they are.
  bool MayBranchToMerge(uint32_t header) {
    const uint32_t merge = flow().merge[header];
    return flow().Reachable(merge) && flow().dominators.Parent(merge) == header &&
           !HasPhi(function().blocks[merge]);
  }

  // A case that goes on with the next one ends instead: only the invocations that the selector
  // brought there execute the next one.
  void EndCases(uint32_t header) {
    if (!MayBranchToMerge(header)) return;
    for (const uint32_t target : flow().successors[header]) {
      if (HasPhi(function().blocks[target])) continue;
      for (const uint32_t before : flow().predecessors[target]) {
        if (before == header || target == flow().merge[header]) continue;
        if (function().blocks[before].End().op != Op::OpBranch) continue;
        if (!program_.bugs.At(Bug::kFallThroughMask)) continue;
        function().blocks[before].End().in[0].word = function().blocks[flow().merge[header]].label;
      }
    }
  }

  // Invocations that return or are discarded in a branch go on after it.
  void GoOnAfterReturns(uint32_t header) {
    if (!MayBranchToMerge(header)) return;
    for (uint32_t block = 0; block < function().blocks.size(); ++block) {
      Instruction& end = function().blocks[block].End();
      const bool ends =
          end.op == Op::OpReturn || end.op == Op::OpReturnValue || end.op == Op::OpKill;
      if (!ends || block == flow().merge[header] || flow().InnermostHeader(block) != header) {
        continue;
      }
      if (!program_.bugs.At(Bug::kReturnMask)) continue;
      end = {Op::OpBranch, 0, 0, {IdOperand(function().blocks[flow().merge[header]].label)}};
    }
  }

  // The variable that a store overwrites completely; 0 if it is not such a store.
  uint32_t Stored(const Instruction& store) const {
    if (store.op != Op::OpStore || store.in.size() != 2) return 0;
    const uint32_t variable = uniformity_.VariableOf(store.Id(0));
    return variable == store.Id(0) ? variable : 0;
  }
  bool Uses(const Instruction& instruction, uint32_t variable) const {
    for (const Operand& operand : instruction.in) {
      if (operand.is_id &&
          (operand.word == variable || uniformity_.VariableOf(operand.word) == variable)) {
        return true;
      }
    }
    return false;
  }

  // A store before a branch moves into the block that reads its variable, and the other invocations
  // do not execute it.
  void SinkStore(uint32_t header) {
    Block& from = function().blocks[header];
    const Instruction end = from.End();
    const uint32_t to = flow().Index(end.Id(1)), merge = flow().merge[header];
    if (to == merge || flow().predecessors[to].size() != 1 || HasPhi(function().blocks[to])) return;
    for (size_t at = from.code.size(); at-- > 0;) {
      const uint32_t variable = Stored(from.code[at]);
      if (variable == 0) continue;
      bool used = false;
      for (size_t i = at + 1; i < from.code.size(); ++i) used |= Uses(from.code[i], variable);
      if (used || !IsLoadedIn(to, variable) || !program_.bugs.At(Bug::kSunkStore)) continue;
      Block& into = function().blocks[to];
      into.code.insert(into.code.begin(), from.code[at]);
      from.code[at].Remove();
      return;
    }
  }
  bool IsLoadedIn(uint32_t top, uint32_t variable) {
    for (uint32_t block = 0; block < function().blocks.size(); ++block) {
      if (!flow().dominators.Dominates(top, block)) continue;
      for (const Instruction& load : function().blocks[block].code) {
        if (load.op == Op::OpLoad && uniformity_.VariableOf(load.Id(0)) == variable) return true;
      }
    }
    return false;
  }

  // The first store after a branch with which some invocations leave moves before the branch, with
  // what it needs. These invocations execute it, too.
  void HoistStore(uint32_t header) {
    const uint32_t merge = flow().merge[header];
    if (flow().predecessors[merge].size() != 1 || flow().predecessors[merge][0] != header) return;
    Block &from = function().blocks[merge], &into = function().blocks[header];
    for (size_t at = 0; at < from.code.size(); ++at) {
      const Instruction& instruction = from.code[at];
      if (Stored(instruction) != 0) {
        if (!program_.bugs.At(Bug::kHoistedStore)) return;
        const auto end = from.code.begin() + static_cast<std::ptrdiff_t>(at) + 1;
        into.code.insert(into.code.end() - 2, from.code.begin(), end);
        from.code.erase(from.code.begin(), end);
        return;
      }
      const bool is_load =
          instruction.op == Op::OpLoad && uniformity_.VariableOf(instruction.Id(0)) != 0;
      if (!is_load && !program_.PropertiesOf(instruction).may_be_speculated()) return;
    }
  }

  Program& program_;
  const Uniformity uniformity_;
  size_t number_ = 0;
};

}  // namespace

void MoveAcrossBranches(Program* program) {
  Mover(program).Run();
}

}  // namespace refract::planted
