// SPDX-License-Identifier: Apache-2.0
// Copies the first iteration of a loop to a place before the loop. In the copy, the phis of the
// header have their initial values. The test of the copy becomes the header of a selection around
// the rest: the remainder of the copy, and the loop, which gets a new merge block on the way to the
// old one. The invocations that iterate together, and those that reconverge at the merge block,
// stay the same.
//
//   before -> copy of header .. copy of test -> merge
//                               copy of test .. copy of latch -> loop -> new block -> merge
#include "message/peel_loop.h"

#include "transform/control_flow/loop_copy.h"

namespace refract::peel_loop {
namespace {

using Message = message::PeelLoop;
enum Role : uint64_t { kCopy = 1, kSelection = 2, kMergeLabel = 3, kMergeBranch = 4, kInside = 5 };

CheckResult Check(const Message& message, const View& view) {
  LoopShape loop;
  if (const CheckResult v = FindLoopShape(view, message.header, &loop); !v) return v;
  if (const CheckResult v = MayChangeIterations(view.module(), loop); !v) return v;
  if (const CheckResult v = MayJoinAtMerge(view.module(), loop); !v) return v;
  return MayInsertBeforeLoop(view.module(), loop);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  LoopCopy copy(editor, message.header, kCopy);
  const LoopShape& loop = copy.loop();
  copy.DisplaceResults(kInside);
  copy.Make(module[loop.header].prev);
  const Block first = copy.Of(loop.header), test = copy.Of(loop.test);
  editor.Remove(module.MergeInstruction(first));
  editor.InsertPlain(module.Terminator(test), spv::Op::OpSelectionMerge, editor.Made(kSelection),
                     {module.LabelId(loop.merge), 0u});
  editor.RedirectEdge(loop.before, loop.header, first);
  editor.RedirectEdge(copy.Of(loop.latch), first, loop.header);
  copy.BeginAfter(loop.before);
  copy.Join(copy.AddMergeBlock(editor.Made(kMergeLabel), editor.Made(kMergeBranch)), test);
  copy.CopyFacts();
}

void Propose(Proposer& proposer) {
  ForEachLoop(proposer, [&](Block header) {
    const Message message{proposer.module().NameOf(proposer.module().Label(header))};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 50},
     .follow_ons = {"unroll_loop_by_two", "set_selection_control", "split_block",
                    "propagate_instruction_down", "add_dead_break", "split_loop"}});

}  // namespace refract::peel_loop
