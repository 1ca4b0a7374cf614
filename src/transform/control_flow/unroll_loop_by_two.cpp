// SPDX-License-Identifier: Apache-2.0
// Copies the body of a loop to run two iterations in each iteration of the loop. In the second, the
// phis of the header have the values that the first passes on. Its test is a second branch to the
// merge block. The loop keeps the continue construct of the second iteration; that of the first
// becomes part of the body.
#include "message/unroll_loop_by_two.h"

#include "transform/control_flow/loop_copy.h"

namespace refract::unroll_loop_by_two {
namespace {

using Message = message::UnrollLoopByTwo;
enum Role : uint64_t { kCopy = 1, kInside = 2 };

CheckResult Check(const Message& message, const View& view) {
  LoopShape loop;
  if (const CheckResult v = FindLoopShape(view, message.header, &loop); !v) return v;
  if (const CheckResult v = MayChangeIterations(view.module(), loop); !v) return v;
  return MayJoinAtMerge(view.module(), loop);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  LoopCopy copy(editor, message.header, kCopy);
  const LoopShape& loop = copy.loop();
  copy.DisplaceResults(kInside);
  copy.Make(loop.latch);
  const Block second = copy.Of(loop.header);
  editor.Remove(module.MergeInstruction(second));
  editor.SetOperand(module.MergeInstruction(loop.header), 1, module.LabelId(copy.Of(loop.next)));
  editor.RedirectEdge(loop.latch, loop.header, second);
  editor.RedirectEdge(copy.Of(loop.latch), second, loop.header);
  copy.BeginAfter(loop.latch);
  copy.Join(loop.test, copy.Of(loop.test));
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
    {.chance = {8, 40},
     .follow_ons = {"peel_loop", "set_loop_control", "split_block", "add_dead_break",
                    "add_dead_continue", "split_loop"}});

}  // namespace refract::unroll_loop_by_two
