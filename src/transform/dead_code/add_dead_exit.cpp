// SPDX-License-Identifier: Apache-2.0
// Adds an exit from the function that is never taken. There are three shapes. A branch that leaves
// a construct needs no merge instruction to become conditional (SPIR-V 2.16.2); the new block is a
// leaf of the construct. If a branch leads to a block without other predecessors, this block
// becomes the merge block. At the end of a function, the merge block is a new block that is not
// reachable.
#include "message/add_dead_exit.h"

#include "ir/branches.h"
#include "rules/context_editor.h"
#include "rules/legality/condition.h"
#include "rules/legality/dead_exit.h"
#include "rules/legality/function_exit.h"
#include "rules/legality/split.h"
#include "rules/rule.h"

namespace refract::add_dead_exit {
namespace {

using Message = message::AddDeadExit;
using Shape = message::AddDeadExit::Shape;
enum Role : uint64_t {
  kLabel = 1,
  kExit = 2,
  kMerge = 3,
  kMergeLabel = 4,
  kMergeEnd = 5,
  kEndLabel = 6,
  kBranch = 7,
};

bool EndsFunction(const Module& module, Block block) {
  const spv::Op end = module.Opcode(module.Terminator(block));
  return end == spv::Op::OpReturn || end == spv::Op::OpReturnValue ||
         end == spv::Op::OpUnreachable || EndsInvocation(end);
}

CheckResult CheckShape(const Module& module, Block block, Shape shape) {
  const ControlFlow& flow = module.Flow(module[block].function);
  const Inst end = module.Terminator(block);
  if (shape == Shape::kEnd) {
    if (!EndsFunction(module, block)) {
      return No("the block does not end with an instruction that ends the function");
    }
    return MaySplitBefore(module, end);
  }
  if (shape != Shape::kLeaving && shape != Shape::kSide) {
    return No("the field `shape` has an unknown value");
  }
  if (module.Opcode(end) != spv::Op::OpBranch) return No("the block does not end with OpBranch");
  if (shape == Shape::kLeaving) {
    return LeavesConstruct(flow, block) ? Yes() : No("the branch does not leave a construct");
  }
  const Block successor = flow.Successors(block)[0];
  if (flow.Predecessors(successor).size() != 1 || flow.IsMergeBlock(successor) ||
      flow.IsContinueTarget(successor)) {
    return No("the successor cannot become a merge block");
  }
  return Yes();
}

CheckResult CheckBlock(const Module& module, Block block) {
  if (block == Block::kNone) return No("the block does not exist");
  const ControlFlow& flow = module.Flow(module[block].function);
  if (!flow.Reachable(block)) return No("the block is unreachable");
  if (module.MergeInstruction(block) != Inst::kNone) return No("the block is already a header");
  // SPIR-V 2.11.2: the back-edge block post-dominates the continue target.
  if (flow.InContinueConstruct(block)) return No("the block is in a continue construct");
  return MayAddEdges(module, block);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Block block = view.BlockEnding(message.end);
  if (const CheckResult v = CheckBlock(module, block); !v) return v;
  if (const CheckResult v = CheckShape(module, block, message.shape); !v) return v;
  const Inst end = module.Terminator(block);
  if (const CheckResult v = MayExit(view, message.exit, end); !v) return v;
  return IsTrueAt(view, message.condition, end);
}

// Adds a block after `block` that ends the function.
Block AddExit(const Message& message, ContextEditor& editor, Block block) {
  const Module& module = editor.module();
  const Function function = module[block].function;
  const Args args = ExitArgs(editor, message.exit, function);
  const Block dead = editor.AddBlockAfter(block, editor.Made(kLabel));
  editor.AppendPlain(dead, ExitOpcode(module, message.exit, function), editor.Made(kExit), args);
  return dead;
}

// For the end of a function: both sides end it, and the merge block is listed after them.
Block SplitEnd(const Message& message, ContextEditor& editor, Block block, Id condition) {
  const Module& module = editor.module();
  const Block end =
      editor.SplitBlock(module.Terminator(block), editor.Made(kEndLabel), editor.Made(kBranch));
  editor.CopyDeadFacts(block, end);
  const Block merge = editor.AddBlockAfter(end, editor.Made(kMergeLabel));
  editor.AppendPlain(merge, spv::Op::OpUnreachable, editor.Made(kMergeEnd), {});
  editor.facts().SetDead(module.LabelId(merge), editor.Provenance());
  const Block dead = AddExit(message, editor, block);
  editor.InsertPlain(module.Terminator(block), spv::Op::OpSelectionMerge, editor.Made(kMerge),
                     {module.LabelId(merge), 0u});
  editor.AddEdge(block, condition, dead);
  return dead;
}

// For an OpBranch to a block that only this block branches to.
Block AddSide(const Message& message, ContextEditor& editor, Block block, Id condition) {
  const Module& module = editor.module();
  const Function function = module[block].function;
  const Block successor = module.Flow(function).Successors(block)[0];
  const Args args = ExitArgs(editor, message.exit, function);
  const Block dead = editor.AddDiamond(
      block, condition, {editor.Made(kLabel), editor.Made(kExit), editor.Made(kMerge)});
  RemovePhiInputs(editor, successor, dead);
  editor.SetTerminator(dead, ExitOpcode(module, message.exit, function), args);
  return dead;
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Block block = editor.view().BlockEnding(message.end);
  const Id condition = TrueCondition(editor, message.condition);
  Block dead;
  if (message.shape == Shape::kEnd) {
    dead = SplitEnd(message, editor, block, condition);
  } else if (message.shape == Shape::kSide) {
    dead = AddSide(message, editor, block, condition);
  } else {
    dead = AddExit(message, editor, block);
    editor.AddEdge(block, condition, dead);
  }
  editor.facts().SetDead(module.LabelId(dead), editor.Provenance());
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!MayAddEdges(module)) return;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (!CheckBlock(module, block)) return;
      // At most one shape fits a block.
      for (const Shape shape : {Shape::kLeaving, Shape::kSide, Shape::kEnd}) {
        if (!CheckShape(module, block, shape) || !proposer.ShouldTry()) continue;
        const Inst end = module.Terminator(block);
        proposer.Offer(Message{module.NameOf(end), PickExit(proposer, end),
                               PickTrueCondition(proposer, block), shape});
      }
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 50},
     .follow_ons = {"replace_bool_constant_with_comparison", "wrap_early_terminator_in_function",
                    "access", "split_block", "replace_constant_with_opaque_value"}});

}  // namespace refract::add_dead_exit
