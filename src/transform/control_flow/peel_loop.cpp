// SPDX-License-Identifier: Apache-2.0
// The first round is a copy of the loop's blocks in which the header's phis have what they begin
// with. Its test becomes the header of a selection around what is left: the rest of the copy and
// the loop, which gets a merge block of its own on the way to the old one. Who goes round together,
// and who waits for whom at the merge block, is as before.
//
//   before -> copy of header .. copy of test -> merge
//                               copy of test .. copy of latch -> loop -> new block -> merge
#include "message/peel_loop.h"

#include "transform/control_flow/loop_copy.h"

namespace refract::peel_loop {
namespace {

using Message = message::PeelLoop;
enum Role : uint64_t { kCopy = 1, kSelection = 2, kMergeLabel = 3, kMergeBranch = 4, kInside = 5 };

Verdict Check(const Message& message, const View& view) {
  LoopShape loop;
  if (const Verdict v = FindLoopShape(view, message.header, &loop); !v) return v;
  if (const Verdict v = MayChangeRounds(view.module(), loop); !v) return v;
  if (const Verdict v = MayJoinAtMerge(view.module(), loop); !v) return v;
  return MayComeBefore(view.module(), loop);
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
  copy.CarryFacts();
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
