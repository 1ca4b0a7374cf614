// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/split.h"

#include "base/check.h"
#include "ir/block_head.h"
#include "ir/branches.h"

namespace refract {
inline namespace rules {
namespace {

// True if splitting the block before `before` would separate an OpSampledImage from a use of it.
// SPIR-V 3.42.10 requires both in one block.
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

// Accepts any block, header or not.
CheckResult MayCutBefore(const Module& module, Inst before) {
  const Block block = module.BlockOf(before);
  if (!module.IsBasicBlock(block) || !module.Precedes(module.Label(block), before)) {
    return No("the instruction is not in a block");
  }
  // SPIR-V 2.4: phis come first in a block, variables first in a function.
  if (module.Precedes(before, BodyStart(module, block))) {
    return No("phis and variables cannot be moved to the second block");
  }
  Inst prev = module.Prev(before);
  while (IsDebugLine(module.Opcode(prev))) prev = module.Prev(prev);
  if (IsMerge(module.Opcode(prev))) {
    return No("a merge instruction cannot be separated from its branch");
  }
  return PartsSampledImage(module, block, before)
             ? No("the result of OpSampledImage would be used in another block")
             : Yes();
}

}  // namespace

CheckResult MaySplitBefore(const Module& module, Inst before) {
  if (const CheckResult v = MayCutBefore(module, before); !v) return v;
  // The back edge would go to a block that is no longer the header.
  return IsLoopHeader(module, module.BlockOf(before)) ? No("the block is a loop header") : Yes();
}

CheckResult MaySplitHeaderBefore(const Module& module, Inst before) {
  if (const CheckResult v = MayCutBefore(module, before); !v) return v;
  const Block header = module.BlockOf(before);
  CHECK(IsLoopHeader(module, header));
  const Inst merge = module.MergeInstruction(header), end = module.Terminator(header);
  if (module.Opcode(end) == spv::Op::OpBranch) return Yes();
  // SPIR-V 2.16.2: without a merge instruction of its own, the branch must leave or continue the
  // loop.
  bool leaves = false;
  ForEachTarget(module, end, [&](uint32_t operand) {
    const Id target = module.IdAt(end, operand);
    leaves = leaves || target == module.IdAt(merge, 0) || target == module.IdAt(merge, 1);
  });
  return leaves ? Yes() : No("both targets of the loop header's branch are inside the loop");
}

Block SplitHeader(Editor& editor, Inst first, Name label, Name branch) {
  const Module& module = editor.module();
  const Block header = module.BlockOf(first);
  const Inst merge = module.MergeInstruction(header);
  const bool is_one_block = module.IdAt(merge, 1) == module.LabelId(header);
  const Block rest = editor.SplitBlock(module.Terminator(header), label, branch);
  while (first != merge) {
    const Inst next = module.Next(first);
    editor.MoveBefore(first, module.Terminator(rest));
    first = next;
  }
  if (is_one_block) editor.SetOperand(merge, 1, module.LabelId(rest));
  return rest;
}

bool SplitsContinueConstruct(const ControlFlow& flow, Block block) {
  for (uint32_t i = flow.InnermostConstruct(block); i != Construct::kNone;
       i = flow.constructs[i].parent) {
    const Construct& construct = flow.constructs[i];
    if (construct.kind == ConstructKind::kContinue && construct.header != block) return true;
  }
  return false;
}

}  // namespace rules
}  // namespace refract
