// SPDX-License-Identifier: Apache-2.0
// Adds a block that is never executed, on one side of a selection with a known condition.
#include "message/add_dead_block.h"

#include "ir/branches.h"
#include "rules/context_editor.h"
#include "rules/legality/condition.h"
#include "rules/rule.h"
#include "rules/uses.h"

namespace refract::add_dead_block {
namespace {

using Message = message::AddDeadBlock;
enum Role : uint64_t { kLabel = 1, kBranch = 2, kMerge = 3 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Block block = view.BlockEnding(message.branch);
  if (block == Block::kNone) return No("the branch does not exist");
  if (module.Opcode(module.Terminator(block)) != spv::Op::OpBranch) {
    return No("the block does not end with OpBranch");
  }
  if (module.MergeInstruction(block) != Inst::kNone) return No("the block is already a header");
  const ControlFlow& flow = module.Flow(module[block].function);
  if (!flow.Reachable(block)) return No("the block is unreachable");
  const Block successor = flow.Successors(block)[0];
  // With one predecessor, the successor is not a loop header and is dominated by `block`, which
  // becomes its header.
  if (flow.Predecessors(successor).size() != 1) {
    return No("the successor has more than one predecessor");
  }
  view.DependOn(module.Terminator(block), 0);
  if (flow.IsMergeBlock(successor) || flow.IsContinueTarget(successor)) {
    return No("the successor is already a merge block or continue target");
  }
  return IsTrueAt(view, message.condition, module.Terminator(block));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Block block = editor.view().BlockEnding(message.branch);
  const Id condition = TrueCondition(editor, message.condition);

  const Block dead = editor.AddDiamond(
      block, condition, {editor.Made(kLabel), editor.Made(kBranch), editor.Made(kMerge)});
  editor.facts().SetDead(module.LabelId(dead), editor.Provenance());
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      Message message{module.NameOf(module.Terminator(block)), {}};
      if (!Check(message, proposer.view()) || !proposer.ShouldTry()) return;
      message.condition = PickTrueCondition(proposer, block);
      proposer.Offer(message);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 90},
     .follow_ons = {
         "access", "replace_bool_constant_with_comparison", "add_dead_break", "add_dead_continue",
         "replace_branch_from_dead_block_with_exit", "add_dead_loop", "replace_branch_with_switch",
         "replace_constant_with_opaque_value", "function_call", "replace_operand_with_undef"}});

}  // namespace refract::add_dead_block
