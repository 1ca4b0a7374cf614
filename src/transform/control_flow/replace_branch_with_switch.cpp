// SPDX-License-Identifier: Apache-2.0
// Turns a conditional branch into a switch. The terminator stays in place under its name. No edges
// change, except that a default may add an edge to the merge block.
#include "message/replace_branch_with_switch.h"

#include "ir/edges.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/legality/condition.h"
#include "rules/legality/dead_exit.h"
#include "rules/legality/switch_shape.h"
#include "rules/rule.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::replace_branch_with_switch {
namespace {

using Message = message::ReplaceBranchWithSwitch;
using Shape = Message::Shape;
enum Role : uint64_t { kSelector = 1 };

Block Side(const Module& module, Inst branch, bool side) {
  return module.BlockOfLabel(module.IdAt(branch, side ? 1 : 2));
}

Block MergeOf(const Module& module, Inst branch) {
  return module.BlockOfLabel(module.IdAt(module.MergeInstruction(module.BlockOf(branch)), 0));
}

// True if the shape needs a new edge to the merge block.
bool AddsEdge(const Module& module, Inst branch, Shape shape) {
  const Block merge = MergeOf(module, branch);
  return shape == Shape::kBothMerge && Side(module, branch, true) != merge &&
         Side(module, branch, false) != merge;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst branch = view.Find(message.branch);
  if (branch == Inst::kNone || module.Opcode(branch) != spv::Op::OpBranchConditional) {
    return No("the OpBranchConditional does not exist");
  }
  if (message.shape < Shape::kOne || message.shape > Shape::kBothMerge) {
    return No("the field `shape` has an unknown value");
  }
  const Block header = module.BlockOf(branch);
  const Inst merge = module.MergeInstruction(header);
  if (merge == Inst::kNone || module.Opcode(merge) != spv::Op::OpSelectionMerge) {
    return No("the branch is not preceded by OpSelectionMerge");
  }
  if (!module.Flow(module[header].function).Reachable(header)) {
    return No("the block is unreachable");
  }
  if (module.IdAt(branch, 1) == module.IdAt(branch, 2)) {
    return No("both targets are the same block");
  }
  if (const CheckResult v = MayBeSwitch(module, header); !v) return v;
  for (uint32_t i = 0; i < 3; ++i) view.DependOn(branch, i);
  if (!AddsEdge(module, branch, message.shape)) return Yes();
  if (const CheckResult v = MayAddEdges(module, header); !v) return v;
  const Block to = MergeOf(module, branch);
  if (!PhisHaveNulls(module, to)) return No("the type of a phi has no null constant");
  if (EdgeBreaksDominance(module, header, to)) {
    return No("a definition would no longer dominate one of its uses");
  }
  return Yes();
}

// If one case falls through to the other, it comes first.
std::vector<SwitchCase> Cases(const Module& module, Inst branch, Shape shape) {
  const SwitchCase zero{0, Side(module, branch, false)}, one{1, Side(module, branch, true)};
  if (shape == Shape::kOne) return {one};
  if (shape == Shape::kZero) return {zero};
  Switch parts;
  parts.merge = MergeOf(module, branch);
  parts.default_target = one.target;
  parts.cases = {zero, one};
  const ControlFlow& flow = module.Flow(module.FunctionOf(branch));
  const bool one_falls = FallThroughTarget(flow, parts, one.target) == zero.target;
  return one_falls ? std::vector{one, zero} : parts.cases;
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst branch = module.Find(message.branch);
  const Block header = module.BlockOf(branch);
  const bool is_default_one = message.shape == Shape::kZero || message.shape == Shape::kBothOne;
  Switch parts;
  parts.cases = Cases(module, branch, message.shape);
  parts.default_target = message.shape == Shape::kBothMerge ? MergeOf(module, branch)
                                                            : Side(module, branch, is_default_one);
  if (AddsEdge(module, branch, message.shape)) {
    AddNullPhiInputs(editor, parts.default_target, header);
  }
  // SPIR-V 2.16.1: ints have no sign in kernels.
  const bool is_kernel = HasCapability(module, spv::Capability::Kernel);
  const message::Type type = IntType(32, !is_kernel);
  const Id one = Declare(editor, ScalarConstant(type, 1));
  const Id zero = Declare(editor, ScalarConstant(type, 0));
  const Id selector =
      editor.InsertValue(EndOfBlock(module, header), spv::Op::OpSelect, module.TypeOf(one),
                         editor.Made(kSelector), {module.IdAt(branch, 0), one, zero});
  editor.SetTerminator(header, spv::Op::OpSwitch, SwitchArgs(module, selector, parts));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst branch = module.Terminator(block);
      if (module.Opcode(branch) != spv::Op::OpBranchConditional || !proposer.ShouldTry()) return;
      Message message{module.NameOf(branch), static_cast<Shape>(proposer.Pick(5))};
      if (Check(message, proposer.view())) proposer.Offer(message);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 50},
     .follow_ons = {"add_switch_case", "set_selection_control", "add_dead_break",
                    "add_dead_fall_through", "move_switch_case"}});

}  // namespace refract::replace_branch_with_switch
