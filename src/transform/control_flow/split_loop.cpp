// SPDX-License-Identifier: Apache-2.0
// Divides a loop into two loops that run one after the other. The first loop counts its own
// iterations, so that all invocations that iterate together leave it together: at the bound, or as
// they would leave the original loop. The second loop begins with the values that the phis of the
// header had in the iteration that was left.
//
//   before -> copy, left at its test -> new block -> loop -> merge
//
// The code before the test in that iteration runs again in the second loop, and the test decides
// again. This is allowed because that code has no side effects. If the test is at the end of the
// iteration, the whole iteration would run again. In that case, the second loop begins with the
// values that the copy passes on, and a selection skips it if the original condition, not the
// bound, ended the copy.
#include "message/split_loop.h"

#include <algorithm>

#include "ir/grammar/operand_rules.h"
#include "rules/build/counter.h"
#include "rules/legality/reorder.h"
#include "transform/control_flow/loop_copy.h"

namespace refract::split_loop {
namespace {

using Message = message::SplitLoop;
enum Role : uint64_t {
  kCopy = 1,
  kInside = 2,
  kLabel = 3,
  kBranch = 4,
  kSelection = 5,
  kMergeLabel = 6,
  kMergeBranch = 7,
  kCount = 8,
  kIncrement = 9,
  kCompare = 10,
  kTest = 11
};

constexpr uint32_t kMaxIterations = 0x7fffffff;  // so that a signed counter never wraps around

bool IsTestedLast(const LoopShape& loop) {
  return loop.test == loop.latch;
}

// Checks that all instructions before the test can run again.
CheckResult MayTestAgain(const Module& module, const LoopShape& loop) {
  const ControlFlow& flow = module.Flow(module[loop.header].function);
  bool may = true;
  for (Block block : loop.blocks) {
    if (!flow.Reachable(block) || (block != loop.test && flow.Dominates(loop.test, block))) {
      continue;
    }
    ForEachInstruction(module, block, [&](Inst inst) {
      const Properties& properties = PropertiesOf(module, inst);
      const spv::Op opcode = module.Opcode(inst);
      const bool is_flow = opcode == spv::Op::OpLabel || opcode == spv::Op::OpPhi ||
                           properties.is_merge || properties.is_branch ||
                           IsDebugInstruction(module, inst);
      may = may && (is_flow || (MayBeReordered(module, inst) && MayRunTwice(module, inst)));
    });
  }
  return may ? Yes()
             : No("the instructions before the loop test cannot be executed an additional time");
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  LoopShape loop;
  if (const CheckResult v = FindLoopShape(view, message.header, &loop); !v) return v;
  if (const CheckResult v = MayChangeIterations(module, loop); !v) return v;
  if (const CheckResult v = MayInsertBeforeLoop(module, loop); !v) return v;
  return IsTestedLast(loop) ? MayJoinAtMerge(module, loop) : MayTestAgain(module, loop);
}

// Insert before this to insert at the end of the block.
Inst EndOfBody(const Module& module, Block block) {
  const Inst merge = module.MergeInstruction(block);
  return merge != Inst::kNone ? merge : module.Terminator(block);
}

// Adds a counter to the copy. It starts from 0, and the copy continues only while it is below the
// bound.
void AddBound(ContextEditor& editor, const LoopCopy& copy, uint32_t bound) {
  const Module& module = editor.module();
  const LoopShape& loop = copy.loop();
  const Block header = copy.Of(loop.header), latch = copy.Of(loop.latch), test = copy.Of(loop.test);
  const Id zero = DeclareCount(editor, 0);
  const Id limit = DeclareCount(editor, std::min(bound, kMaxIterations));
  const Id count = editor.InsertValue(
      module.Next(module.Label(header)), spv::Op::OpPhi, DeclareCounterType(editor),
      editor.Made(kCount), {zero, module.LabelId(loop.before), zero, module.LabelId(latch)});
  const Id incremented =
      InsertIncrement(editor, EndOfBody(module, latch), count, editor.Made(kIncrement));
  editor.SetOperand(module.Definition(count), 2, incremented);

  const Inst branch = module.Terminator(test), end = EndOfBody(module, test);
  const Id decided = module.IdAt(branch, 0);
  const bool leaves_if_true = module.IdAt(branch, 1) == module.LabelId(loop.merge);
  const Id compared = leaves_if_true
                          ? InsertNotLess(editor, end, count, limit, editor.Made(kCompare))
                          : InsertLess(editor, end, count, limit, editor.Made(kCompare));
  const Id tested =
      editor.InsertValue(end, leaves_if_true ? spv::Op::OpLogicalOr : spv::Op::OpLogicalAnd,
                         module.TypeOf(decided), editor.Made(kTest), {decided, compared});
  editor.SetOperand(branch, 0, tested);
}

// Adds the block to which the copy exits. It leads to the second loop, or past it if `decided`, the
// original condition, has ended the copy.
void AddBlockBetween(ContextEditor& editor, LoopCopy& copy, Id decided) {
  const Module& module = editor.module();
  const LoopShape& loop = copy.loop();
  const Block between = editor.AddBlockAfter(module[loop.header].prev, editor.Made(kLabel));
  const Id header = module.LabelId(loop.header), merge = module.LabelId(loop.merge);
  editor.SetOperand(module.MergeInstruction(copy.Of(loop.header)), 0, module.LabelId(between));
  editor.CopyDeadFacts(loop.header, between);
  if (!IsTestedLast(loop)) {
    editor.AppendPlain(between, spv::Op::OpBranch, editor.Made(kBranch), {header});
  } else {
    const bool leaves_if_true = module.IdAt(module.Terminator(loop.test), 1) == merge;
    editor.AppendPlain(between, spv::Op::OpSelectionMerge, editor.Made(kSelection), {merge, 0u});
    editor.AppendPlain(between, spv::Op::OpBranchConditional, editor.Made(kBranch),
                       {decided, leaves_if_true ? merge : header, leaves_if_true ? header : merge});
    copy.Join(copy.AddMergeBlock(editor.Made(kMergeLabel), editor.Made(kMergeBranch)), between);
  }
  editor.RedirectEdge(copy.Of(loop.test), loop.merge, between);
  editor.RedirectEdge(loop.before, loop.header, copy.Of(loop.header));
  copy.Enter(loop.before, between, IsTestedLast(loop));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  LoopCopy copy(editor, message.header, kCopy);
  const LoopShape& loop = copy.loop();
  if (IsTestedLast(loop)) copy.DisplaceResults(kInside);
  copy.Make(module[loop.header].prev);
  const Id decided = module.IdAt(module.Terminator(copy.Of(loop.test)), 0);
  AddBound(editor, copy, message.bound);
  AddBlockBetween(editor, copy, decided);
  copy.CopyFacts();
}

// True if the block looks like those that this transformation inserts between two loops.
bool IsBetween(const Module& module, Block block) {
  const ControlFlow& flow = module.Flow(module[block].function);
  const Block header = flow.HeaderOfMerge(block);
  const auto successors = flow.Successors(block);
  return header != Block::kNone && IsLoopHeader(module, header) &&
         module.Next(module.Label(block)) == EndOfBody(module, block) &&
         std::any_of(successors.begin(), successors.end(),
                     [&](Block successor) { return IsLoopHeader(module, successor); });
}

// Loops that were divided before are not proposed again, because the resources that drivers need to
// compile a sequence of loops grow much faster than their number.
bool WasSplit(const Module& module, Block header) {
  const ControlFlow& flow = module.Flow(module[header].function);
  const auto befores = flow.Predecessors(header);
  return IsBetween(module, flow.Node(header).merge) ||
         std::any_of(befores.begin(), befores.end(),
                     [&](Block block) { return IsBetween(module, block); });
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachLoop(proposer, [&](Block header) {
    const Name name = module.NameOf(module.Label(header));
    if (WasSplit(module, header) || !Check(Message{name, 0}, proposer.view())) return;
    // Small bounds are more frequent, because they are more often below the number of iterations.
    const size_t choices = size_t{4} << proposer.Pick(5);
    proposer.Offer(Message{name, static_cast<uint32_t>(proposer.Pick(choices))});
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 50},
     .follow_ons = {"peel_loop", "unroll_loop_by_two", "set_loop_control", "split_block",
                    "replace_constant_with_uniform", "invert_comparison", "add_dead_break"}});

}  // namespace refract::split_loop
