// SPDX-License-Identifier: Apache-2.0
#include "planted/passes.h"

namespace refract::planted {

std::span<const Pass> Passes() {
  static constexpr Pass kPasses[] = {
      {"inline_functions", InlineFunctions}, {"propagate_copies", PropagateCopies},
      {"fold_constants", FoldConstants},     {"reassociate_floats", ReassociateFloats},
      {"forward_stores", ForwardStores},     {"simplify_branches", SimplifyBranches},
      {"merge_blocks", MergeBlocks},         {"reuse_expressions", ReuseExpressions},
      {"unroll_loops", UnrollLoops},         {"remove_dead_code", RemoveDeadCode},
  };
  return kPasses;
}

std::span<const Pass> DivergencePasses() {
  static constexpr Pass kPasses[] = {{"share_values", ShareValues},
                                     {"move_across_branches", MoveAcrossBranches}};
  return kPasses;
}

void Optimise(Program* program, std::span<const Pass> passes) {
  if (!IsUnderstood(*program)) return;
  for (int round = 0; round < 2; ++round) {
    for (const Pass& pass : passes) {
      pass.run(program);
      program->Sweep();
    }
  }
}

void OptimiseDivergence(Program* program) {
  if (!IsUnderstood(*program)) return;
  for (const Pass& pass : DivergencePasses()) {
    pass.run(program);
    program->Sweep();
  }
}

}  // namespace refract::planted
