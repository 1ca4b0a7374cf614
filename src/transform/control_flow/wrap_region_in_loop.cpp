// SPDX-License-Identifier: Apache-2.0
// Makes a region the body of a loop with one iteration. E is the first block of the region and X
// the last. E keeps its label and phis and becomes the block before the loop, so branches to E and
// permanent names of E stay valid. The merge block gets the terminator of X, so a branch out of the
// region leaves from the same nesting level as before. Every invocation runs one iteration, so
// invocations stay converged.
//
//   E -> header -> body ... X -> continue -> header, merge
//
// If the header tests, only the header branches to the merge block, and values defined inside no
// longer dominate it. The header then carries them in phis, whose initial value is null.
#include "message/wrap_region_in_loop.h"

#include <algorithm>

#include "ir/block_head.h"
#include "rules/build/counter.h"
#include "rules/build/declare.h"
#include "rules/legality/dead_exit.h"
#include "rules/legality/displaced.h"
#include "rules/legality/region.h"
#include "rules/values.h"

namespace refract::wrap_region_in_loop {
namespace {

using Message = message::WrapRegionInLoop;
using Counter = Message::Counter;
using Test = Message::Test;
enum Role : uint64_t {
  kHeader = 1,
  kEntryBranch = 2,
  kBody = 3,
  kHeaderBranch = 4,
  kMergeLabel = 5,
  kExitBranch = 6,
  kContinue = 7,
  kContinueBranch = 8,
  kMerge = 9,
  kVariable = 10,
  kInitialise = 11,
  kCount = 12,
  kIncrement = 13,
  kStore = 14,
  kTest = 15,
  kInside = 16,
  kCarried = 17
};

CheckResult CheckRegion(const Module& module, Block entry, Block exit, Test test) {
  const Region region(module, entry, exit);
  if (const CheckResult v = region.Check(); !v) return v;
  if (test == Test::kHeader) {
    if (const CheckResult v = region.MayCarryOut(); !v) return v;
  }
  return MayAddEdges(module, entry);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const RegionEnds ends = FindEnds(view, message.entry, message.exit);
  if (const CheckResult v = CheckEnds(module, ends); !v) return v;
  if (message.counter != Counter::kPhi && message.counter != Counter::kVariable) {
    return No("the field `counter` has an unknown value");
  }
  if (message.test != Test::kHeader && message.test != Test::kContinue) {
    return No("the field `test` has an unknown value");
  }
  return CheckRegion(module, ends.entry, ends.exit, message.test);
}

// The blocks of the loop.
struct Loop {
  Block entry, header, body, exit, next, merge;
};

Loop MakeBlocks(ContextEditor& editor, Block entry, Block exit) {
  const Module& module = editor.module();
  Loop loop{};
  loop.entry = entry;
  loop.merge = editor.SplitBlock(module.Terminator(exit), editor.Made(kMergeLabel),
                                 editor.Made(kExitBranch));
  loop.header =
      editor.SplitBlock(BodyStart(module, entry), editor.Made(kHeader), editor.Made(kEntryBranch));
  loop.body = editor.SplitBlock(module.Next(module.Label(loop.header)), editor.Made(kBody),
                                editor.Made(kHeaderBranch));
  loop.exit = exit == entry ? loop.body : exit;
  loop.next = editor.AddBlockAfter(loop.exit, editor.Made(kContinue));
  editor.AppendPlain(loop.next, spv::Op::OpBranch, editor.Made(kContinueBranch),
                     {module.LabelId(loop.header)});
  editor.RedirectEdge(loop.exit, loop.merge, loop.next);
  editor.CopyDeadFacts(exit, loop.merge);
  editor.CopyDeadFacts(exit, loop.next);
  editor.CopyDeadFacts(entry, loop.header);
  editor.CopyDeadFacts(entry, loop.body);
  return loop;
}

// Makes a counter that runs from 0 to 1, and the test.
void MakeCounter(ContextEditor& editor, const Message& message, const Loop& loop) {
  const Module& module = editor.module();
  const Id type = DeclareCounterType(editor), zero = DeclareCount(editor, 0);
  const bool tests_at_header = message.test == Test::kHeader;
  const Inst header_end = module.Terminator(loop.header), next_end = module.Terminator(loop.next);
  Id count = Id::kNone, incremented = Id::kNone;
  if (message.counter == Counter::kPhi) {
    count = editor.InsertValue(header_end, spv::Op::OpPhi, type, editor.Made(kCount),
                               {zero, module.LabelId(loop.entry)});
    incremented = InsertIncrement(editor, next_end, count, editor.Made(kIncrement));
    editor.AddPhiInput(module.Definition(count), incremented, module.LabelId(loop.next));
  } else {
    const Id variable =
        AddVariable(editor, spv::StorageClass::Function, module[loop.entry].function, type,
                    editor.Made(kVariable), Id::kNone);
    editor.InsertPlain(module.Terminator(loop.entry), spv::Op::OpStore, editor.Made(kInitialise),
                       {variable, zero});
    count = editor.InsertValue(tests_at_header ? header_end : next_end, spv::Op::OpLoad, type,
                               editor.Made(kCount), {variable});
    Id before = count;
    if (tests_at_header) {
      before = editor.InsertValue(next_end, spv::Op::OpLoad, type, editor.Made(kCount, uint64_t{1}),
                                  {variable});
    }
    incremented = InsertIncrement(editor, next_end, before, editor.Made(kIncrement));
    editor.InsertPlain(next_end, spv::Op::OpStore, editor.Made(kStore), {variable, incremented});
  }
  const Id one = DeclareCount(editor, 1);
  const Id goes_on = InsertLess(editor, tests_at_header ? header_end : next_end,
                                tests_at_header ? count : incremented, one, editor.Made(kTest));
  const Id merge = module.LabelId(loop.merge);
  editor.InsertPlain(header_end, spv::Op::OpLoopMerge, editor.Made(kMerge),
                     {merge, module.LabelId(loop.next), 0u});
  const Block tested = tests_at_header ? loop.header : loop.next;
  const Id onward = module.LabelId(tests_at_header ? loop.body : loop.header);
  editor.SetTerminator(tested, spv::Op::OpBranchConditional, {goes_on, onward, merge});
}

// Values used outside go through phis of the header to the merge block.
void Carry(ContextEditor& editor, const Loop& loop, const std::vector<Displaced>& displaced) {
  const Module& module = editor.module();
  const Inst end = module.Next(module.Label(loop.header));
  const Inst first = module.Next(module.Label(loop.merge));
  for (const Displaced& each : displaced) {
    const Id type = module.TypeOf(each.inside);
    const Id carried =
        editor.InsertValue(end, spv::Op::OpPhi, type, editor.Made(kCarried, each.name),
                           {DeclareNull(editor, type), module.LabelId(loop.entry), each.inside,
                            module.LabelId(loop.next)});
    YieldAsPhi(editor, each, first, {carried, module.LabelId(loop.header)});
    if (const Steps* why = editor.facts().Irrelevant(each.outside)) {
      editor.facts().SetIrrelevant(carried, editor.Provenance(*why));
    }
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const auto [entry, exit] = FindEnds(editor.view(), message.entry, message.exit);
  const Region region(module, entry, exit);
  std::vector<Block> inside = region.Blocks();
  const std::vector<Id> results = region.ResultsUsedOutside();
  const Loop loop = MakeBlocks(editor, entry, exit);
  MakeCounter(editor, message, loop);
  if (message.test != Test::kHeader) return;
  std::replace(inside.begin(), inside.end(), entry, loop.body);
  Carry(editor, loop, DisplaceAll(editor, kInside, results, inside));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!MayAddEdges(module)) return;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block entry) {
      if (!proposer.ShouldTry()) return;
      const std::vector<Block> exits = ExitsFrom(module, entry);
      if (exits.empty()) return;
      const Block exit = exits[proposer.Pick(exits.size())];
      Message message{module.NameOf(module.Label(entry)), module.NameOf(module.Terminator(exit)),
                      proposer.Pick(2) == 0 ? Counter::kPhi : Counter::kVariable,
                      proposer.Pick(2) == 0 ? Test::kHeader : Test::kContinue};
      if (!CheckRegion(module, entry, exit, message.test)) message.test = Test::kContinue;
      if (CheckRegion(module, entry, exit, message.test)) proposer.Offer(std::move(message));
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {3, 20},
     .follow_ons = {"add_dead_break", "add_dead_continue", "set_loop_control", "split_block",
                    "replace_constant_with_uniform"}});

}  // namespace refract::wrap_region_in_loop
