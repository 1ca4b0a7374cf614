// SPDX-License-Identifier: Apache-2.0
// Merges a block with its only predecessor.
#include "planted/flow.h"
#include "planted/passes.h"

namespace refract::planted {
namespace {

class Merger {
 public:
  Merger(Function* function, Replacements* replaced, Bugs* bugs)
      : bugs_(*bugs), function_(*function), flow_(*function), replaced_(*replaced) {}

  void Run() {
    // From the end, so that appended blocks are complete.
    std::vector<bool> gone(function_.blocks.size());
    for (uint32_t i = static_cast<uint32_t>(gone.size()); i-- > 0;) {
      if (!MayMerge(i)) continue;
      const uint32_t next = flow_.successors[i][0];
      if (next <= i || gone[next]) continue;
      if (!flow_.Reachable(i) && function_.blocks[i].code.size() == 1 &&
          bugs_.At(Bug::kUnreachablePair)) {
        DepthOfBlock(nullptr);
      }
      Append(&function_.blocks[i], &function_.blocks[next]);
      gone[next] = true;
    }
    for (size_t i = gone.size(); i-- > 0;) {
      if (gone[i]) function_.blocks.erase(function_.blocks.begin() + static_cast<ptrdiff_t>(i));
    }
  }

 private:
  bool MayMerge(uint32_t block) const {
    const Block& first = function_.blocks[block];
    if (first.End().op != spv::Op::OpBranch || first.Merge() != nullptr) return false;
    const uint32_t next = flow_.successors[block][0];
    return flow_.predecessors[next].size() == 1 && flow_.merge_of[next] == Flow::kNone &&
           flow_.continue_of[next] == Flow::kNone;
  }

  void Append(Block* first, Block* second) {
    first->code.pop_back();
    for (Instruction& instruction : second->code) {
      if (instruction.op == spv::Op::OpPhi) {
        replaced_.Set(instruction.result, replaced_.Find(instruction.Id(0)));
      } else {
        first->code.push_back(std::move(instruction));
      }
    }
    RenamePredecessor(&function_, second->label, first->label);
  }

  Bugs& bugs_;
  Function& function_;
  const Flow flow_;
  Replacements& replaced_;
};

}  // namespace

void MergeBlocks(Program* program) {
  Replacements replaced;
  for (Function& function : program->functions) {
    if (!function.blocks.empty()) Merger(&function, &replaced, &program->bugs).Run();
  }
  replaced.Apply(program);
}

}  // namespace refract::planted
