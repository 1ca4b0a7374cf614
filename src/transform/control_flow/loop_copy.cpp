// SPDX-License-Identifier: Apache-2.0
#include "transform/control_flow/loop_copy.h"

#include "base/check.h"
#include "rules/legality/condition.h"

namespace refract {
inline namespace transform {
namespace {

// The index of the phi's input for `from`, which exists.
uint32_t PhiOperandFrom(const Module& module, Inst phi, Block from) {
  uint32_t i = 0;
  while (module.IdAt(phi, i + 1) != module.LabelId(from)) i += 2;
  return i;
}

}  // namespace

LoopCopy::LoopCopy(ContextEditor& editor, Name header, uint64_t role)
    : editor_(editor), copies_(editor, role) {
  CHECK(FindLoopShape(editor.view(), header, &loop_));
  before_loop_ = editor.module().Terminator(loop_.before);
}

void LoopCopy::DisplaceResults(uint64_t role) {
  displaced_ = DisplaceAll(editor_, role, loop_.results, loop_.blocks, before_loop_);
}

void LoopCopy::Make(Block after) {
  copies_.CopyBlocks(loop_.blocks, after);
}

Block LoopCopy::Of(Block block) const {
  const Module& module = editor_.module();
  return module.BlockOfLabel(copies_.Of(module.LabelId(block)));
}

void LoopCopy::BeginAfter(Block from) {
  const Module& module = editor_.module();
  for (Inst phi : loop_.phis) {
    const Id value = module.IdAt(phi, PhiOperandFrom(module, phi, from));
    editor_.SetOperands(module.Definition(copies_.Of(module.Result(phi))),
                        {value, module.LabelId(from)});
  }
  Enter(from, Of(loop_.latch), true);
}

void LoopCopy::Enter(Block from, Block predecessor, bool is_next) {
  const Module& module = editor_.module();
  for (Inst phi : loop_.phis) {
    const Id value =
        is_next ? module.IdAt(phi, PhiOperandFrom(module, phi, loop_.latch)) : module.Result(phi);
    const uint32_t operand = PhiOperandFrom(module, phi, from);
    editor_.SetOperand(phi, operand, copies_.Of(value));
    editor_.SetOperand(phi, operand + 1, module.LabelId(predecessor));
  }
}

Block LoopCopy::AddMergeBlock(Name label, Name branch) {
  const Module& module = editor_.module();
  const Block block = editor_.AddBlockAfter(module[loop_.merge].prev, label);
  editor_.AppendPlain(block, spv::Op::OpBranch, branch, {module.LabelId(loop_.merge)});
  editor_.RedirectEdge(loop_.test, loop_.merge, block);
  editor_.SetOperand(module.MergeInstruction(loop_.header), 0, module.LabelId(block));
  editor_.CopyDeadFacts(loop_.merge, block);
  return block;
}

void LoopCopy::Join(Block predecessor, Block copied_predecessor) {
  const Module& module = editor_.module();
  const Id label = module.LabelId(predecessor), copied_label = module.LabelId(copied_predecessor);
  for (Inst phi : PhisOf(module, loop_.merge)) {
    Id value = module.IdAt(phi, 0);
    for (const Displaced& each : displaced_) {
      if (each.outside == value) value = each.inside;
    }
    editor_.SetOperands(phi, {value, label, copies_.Of(value), copied_label});
  }
  const Inst first = module.Next(module.Label(loop_.merge));
  for (const Displaced& each : displaced_) {
    YieldAsPhi(editor_, each, first, {each.inside, label, copies_.Of(each.inside), copied_label});
  }
}

}  // namespace transform
}  // namespace refract
