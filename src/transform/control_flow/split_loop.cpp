// SPDX-License-Identifier: Apache-2.0
// The first loop counts its rounds itself, so that all invocations that go round together leave it
// together: by the bound, or as they would leave the loop. Then the loop begins with what the phis
// of the header had in the round that was left.
//
//   before -> copy, left at its test -> new block -> loop -> merge
//
// What comes before the test in that round runs once more there, and the test decides again; as it
// has no effect it is the first time that did not count. Where the test ends the round, the whole
// of it would run again. There the loop begins with what the copy hands on, in a selection which
// leaves it out if the copy's test said so.
#include "message/split_loop.h"

#include <algorithm>

#include "ir/grammar/operand_rules.h"
#include "rules/build/counter.h"
#include "transform/control_flow/loop_copy.h"
#include "rules/legality/reorder.h"

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

constexpr uint32_t kMostRounds = 0x7fffffff;  // so that the counter, if signed, never wraps around

bool IsTestedLast(const LoopShape& loop) {
  return loop.test == loop.latch;
}

// Whether all up to the test may run once more.
Verdict MayTestAgain(const Module& module, const LoopShape& loop) {
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
  return may ? Yes() : No("the instructions before the loop test cannot be executed once more");
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  LoopShape loop;
  if (const Verdict v = FindLoopShape(view, message.header, &loop); !v) return v;
  if (const Verdict v = MayChangeRounds(module, loop); !v) return v;
  if (const Verdict v = MayComeBefore(module, loop); !v) return v;
  return IsTestedLast(loop) ? MayJoinAtMerge(module, loop) : MayTestAgain(module, loop);
}

// Before what ends the block.
Inst EndOfBody(const Module& module, Block block) {
  const Inst merge = module.MergeInstruction(block);
  return merge != Inst::kNone ? merge : module.Terminator(block);
}

// The copy counts from 0, and goes on at its test only while that is less than the bound.
void AddBound(ContextEditor& editor, const LoopCopy& copy, uint32_t bound) {
  const Module& module = editor.module();
  const LoopShape& loop = copy.loop();
  const Block header = copy.Of(loop.header), latch = copy.Of(loop.latch), test = copy.Of(loop.test);
  const Id zero = DeclareCount(editor, 0);
  const Id limit = DeclareCount(editor, std::min(bound, kMostRounds));
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

// The block to which the copy leaves, and which leads to the loop or, if what has `decided` says
// so, past it.
void AddBlockBetween(ContextEditor& editor, LoopCopy& copy, Id decided) {
  const Module& module = editor.module();
  const LoopShape& loop = copy.loop();
  const Block between = editor.AddBlockAfter(module[loop.header].prev, editor.Made(kLabel));
  const Id header = module.LabelId(loop.header), merge = module.LabelId(loop.merge);
  editor.SetOperand(module.MergeInstruction(copy.Of(loop.header)), 0, module.LabelId(between));
  editor.CarryDead(loop.header, between);
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
  copy.CarryFacts();
}

// Whether the block is like those that this transformation puts between two loops.
bool IsBetween(const Module& module, Block block) {
  const ControlFlow& flow = module.Flow(module[block].function);
  const Block header = flow.HeaderOfMerge(block);
  const auto successors = flow.Successors(block);
  return header != Block::kNone && IsLoopHeader(module, header) &&
         module.Next(module.Label(block)) == EndOfBody(module, block) &&
         std::any_of(successors.begin(), successors.end(),
                     [&](Block successor) { return IsLoopHeader(module, successor); });
}

// Loops that were one are not proposed: what drivers need to compile many in a row grows much
// faster than their number.
bool WasDivided(const Module& module, Block header) {
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
    if (WasDivided(module, header) || !Check(Message{name, 0}, proposer.view())) return;
    // Small ones more often: they are in the midst of the rounds.
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
