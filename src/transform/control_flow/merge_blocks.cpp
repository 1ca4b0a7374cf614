// SPDX-License-Identifier: Apache-2.0
// Merges a block into its only predecessor. The result keeps the label of the first block and the
// terminator of the second, so permanent names of its start and its end stay valid. Only the border
// between them disappears.
#include "message/merge_blocks.h"

#include <map>

#include "ir/branches.h"
#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "rules/context_editor.h"
#include "rules/legality/condition.h"
#include "rules/legality/index_range.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::merge_blocks {
namespace {

using Message = message::MergeBlocks;

bool IsNamed(const ControlFlow& flow, Block block) {
  return flow.IsMergeBlock(block) || flow.IsContinueTarget(block);
}

// Checks that the loop header `first` can get the end of `second`. SPIR-V 2.16.2: OpLoopMerge must
// precede an OpBranch or OpBranchConditional, and of two targets one must leave or continue the
// loop. If `first` becomes its own continue target, it must also be the back-edge block.
CheckResult CheckLoop(const Module& module, const ControlFlow& flow, Block first, Block second) {
  if (!IsLoopHeader(module, first)) return Yes();
  const Inst merge = module.MergeInstruction(first), end = module.Terminator(second);
  const Id breaks = module.IdAt(merge, 0), continues = module.IdAt(merge, 1);
  const bool is_conditional = module.Opcode(end) == spv::Op::OpBranchConditional;
  if (module.MergeInstruction(second) != Inst::kNone ||
      (!is_conditional && module.Opcode(end) != spv::Op::OpBranch)) {
    return No(
        "the first block is a loop header, which cannot end with the terminator of the second "
        "block");
  }
  bool goes_back = false, leaves = !is_conditional;
  for (Block successor : flow.Successors(second)) {
    const Id label = module.LabelId(successor);
    goes_back = goes_back || successor == first;
    leaves = leaves || label == breaks || label == continues || successor == first;
  }
  if (module.LabelId(second) == continues && !goes_back) {
    return No("the continue target would not be the back-edge block");
  }
  if (!leaves) {
    return No(
        "the first block is a loop header, which cannot end with the terminator of the second "
        "block");
  }
  return Yes();
}

// spirv-val 2023.1 falsely rejects such edges to a continue target.
bool HasUnreachablePathTo(const ControlFlow& flow, Block block) {
  for (Block predecessor : flow.Predecessors(block)) {
    if (!flow.StructurallyReachable(predecessor)) return true;
  }
  return false;
}

// Checks that the first block can take over the references by headers to the second.
CheckResult CheckNamed(const Module& module, const ControlFlow& flow, Block first, Block second) {
  if (!IsNamed(flow, second)) return Yes();
  for (Use use = module.FirstUse(module.LabelId(second)); use != Use::kNone;
       use = module.NextUse(use)) {
    const Inst user = module.User(use);
    if (IsMerge(module.Opcode(user)) && !flow.Reachable(module.BlockOf(user))) {
      return No("an unreachable header names the second block in its merge instruction");
    }
  }
  if (flow.IsContinueTarget(second) && HasUnreachablePathTo(flow, first)) {
    return No("an unreachable block branches to the block that would be a continue target");
  }
  if (IsLoopHeader(module, first)) {
    // CheckLoop handles the case of the loop's own continue target.
    const Id continues = module.IdAt(module.MergeInstruction(first), 1);
    const bool is_own = continues == module.LabelId(second) && !flow.IsMergeBlock(second);
    if (!is_own) {
      return No(
          "the first block is a loop header, and the second block is a merge block or a continue "
          "target");
    }
    return IsNamed(flow, first) ? No("both blocks are merge blocks or continue targets") : Yes();
  }
  if (IsNamed(flow, first)) return No("both blocks are merge blocks or continue targets");
  // SPIR-V 2.11.2: a switch dominates its targets. This no longer holds if a target becomes the
  // merge block or continue target of a construct around the switch.
  for (Block predecessor : flow.Predecessors(first)) {
    if (module.Opcode(module.Terminator(predecessor)) == spv::Op::OpSwitch &&
        flow.HeaderOfMerge(second) != predecessor) {
      return No(
          "the first block is a case of a switch, and the second block is the merge block or "
          "continue target of another construct");
    }
  }
  // Other invocations may be active after the merge, or in the next iteration.
  for (Inst inst = module.Next(module.Label(first)); inst != module.Terminator(first);
       inst = module.Next(inst)) {
    if (PropertiesOf(module, inst).convergent) {
      return No(
          "the set of invocations that execute a convergent instruction together would change");
    }
  }
  return Yes();
}

// Checks which blocks are merged; does not check the contents of the first one.
CheckResult CheckPlace(const Module& module, Block first) {
  if (first == Block::kNone) return No("the branch does not exist");
  if (module.Opcode(module.Terminator(first)) != spv::Op::OpBranch) {
    return No("the block does not end with OpBranch");
  }
  const ControlFlow& flow = module.Flow(module[first].function);
  if (!flow.Reachable(first)) return No("the block is unreachable");
  const Block second = flow.Successors(first)[0];
  if (flow.Predecessors(second).size() != 1) {
    return No("the successor has more than one predecessor");
  }
  for (Inst inst : PhisOf(module, second)) {
    if (!IsTouchable(module, module.Result(inst))) {
      return No("a decoration on a phi forbids the change");
    }
  }
  return CheckLoop(module, flow, first, second);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Block first = view.BlockEnding(message.branch);
  if (const CheckResult v = CheckPlace(module, first); !v) return v;
  view.DependOn(module.Terminator(first), 0);
  const ControlFlow& flow = module.Flow(module[first].function);
  const Block second = flow.Successors(first)[0];
  std::map<Id, Id> values;
  for (Inst phi : PhisOf(module, second)) values[module.Result(phi)] = module.IdAt(phi, 0);
  if (MayPutIndexOutOfRange(module, values)) {
    return No("with the operand of a phi, a constant index may be out of range");
  }
  return CheckNamed(module, flow, first, second);
}

// Replaces a phi of a block with one predecessor by a copy of its only input.
void ReplacePhi(ContextEditor& editor, Inst phi) {
  const Id result = editor.module().Result(phi), value = editor.module().IdAt(phi, 0);
  editor.SetOpcode(phi, spv::Op::OpCopyObject);
  editor.SetOperands(phi, {value});
  if (MayHaveSynonym(editor.view(), result) && MayHaveSynonym(editor.view(), value)) {
    editor.facts().AddSynonym(Part(result), Part(value), editor.Provenance());
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Block first = editor.view().BlockEnding(message.branch);
  const Block second = module.BlockOfLabel(module.IdAt(module.Terminator(first), 0));
  for (Inst phi : PhisOf(module, second)) ReplacePhi(editor, phi);
  std::vector<Use> named;
  ForEachUse(module, module.LabelId(second), [&](Use use) {
    if (IsMerge(module.Opcode(module.User(use)))) named.push_back(use);
  });
  for (Use use : named) {
    editor.SetOperand(module.User(use), module.OperandIndex(use), module.LabelId(first));
  }
  const Inst loop = module.MergeInstruction(first);
  if (loop != Inst::kNone) editor.MoveBefore(loop, module.Terminator(second));
  editor.MergeBlocks(first);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block first) {
      if (!CheckPlace(module, first) || !proposer.ShouldTry()) return;
      Message message{module.NameOf(module.Terminator(first))};
      if (Check(message, proposer.view())) proposer.Offer(message);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60}, .follow_ons = {"split_block", "replace_id_with_synonym"}});

}  // namespace refract::merge_blocks
