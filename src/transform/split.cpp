// SPDX-License-Identifier: Apache-2.0
#include "transform/split.h"

#include "ir/block_head.h"
#include "ir/branches.h"

namespace refract {
namespace {

// Whether cutting the block before `before` would part an OpSampledImage from a use of it; SPIR-V
// 3.42.10 wants them in one block.
bool PartsSampledImage(const Module& module, Block block, Inst before) {
  for (Inst inst = module.First(block); inst != before; inst = module.Next(inst)) {
    if (module.Opcode(inst) != spv::Op::OpSampledImage) continue;
    for (Use use = module.FirstUse(module.Result(inst)); use != Use::kNone;
         use = module.NextUse(use)) {
      const Inst user = module.User(use);
      if (module.BlockOf(user) == block && !module.Precedes(user, before)) return true;
    }
  }
  return false;
}

}  // namespace

Verdict MaySplitBefore(const Module& module, Inst before) {
  const Block block = module.BlockOf(before);
  if (!module.IsBasicBlock(block) || !module.Precedes(module.Label(block), before)) {
    return No("the instruction is not in the body of a block");
  }
  // SPIR-V 2.4: phis come first in a block, variables first in a function.
  if (module.Precedes(before, BodyStart(module, block))) {
    return No("phis and variables cannot be in the second part");
  }
  Inst prev = module.Prev(before);
  while (IsDebugLine(module.Opcode(prev))) prev = module.Prev(prev);
  if (IsMerge(module.Opcode(prev))) return No("a merge instruction stays with its branch");
  const Inst merge = module.MergeInstruction(block);
  // The back edge would go to a block that is no longer the header.
  if (merge != Inst::kNone && module.Opcode(merge) == spv::Op::OpLoopMerge) {
    return No("the block is a loop header");
  }
  if (PartsSampledImage(module, block, before)) {
    return No("a sampled image would be used in another block");
  }
  return Yes();
}

}  // namespace refract
