// SPDX-License-Identifier: Apache-2.0
// Sets the selection control of a selection.
#include "message/set_selection_control.h"

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::set_selection_control {
namespace {

using Message = message::SetSelectionControl;

// SPIR-V 3.22: 0 is None, 1 is Flatten, 2 is DontFlatten.
constexpr uint32_t kControls = 3;

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst merge = view.Find(message.merge);
  if (merge == Inst::kNone || module.Opcode(merge) != spv::Op::OpSelectionMerge) {
    return No("the OpSelectionMerge does not exist");
  }
  if (message.control >= kControls) {
    return No("the selection control must be None, Flatten or DontFlatten");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  editor.SetOperand(editor.module().Find(message.merge), 1, message.control);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst merge = module.MergeInstruction(block);
      if (merge == Inst::kNone || module.Opcode(merge) != spv::Op::OpSelectionMerge) return;
      if (!proposer.ShouldTry()) return;
      // Picks a control that differs from the current one.
      uint32_t control = static_cast<uint32_t>(proposer.Pick(kControls - 1));
      if (control >= module.Word(merge, 1)) ++control;
      proposer.Offer(Message{module.NameOf(merge), control});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {20, 90}});

}  // namespace refract::set_selection_control
