// SPDX-License-Identifier: Apache-2.0
// A second round is copied behind the first, in the same loop: in it the header's phis have what
// the first round hands on. Its test is one more way to the merge block; its continue construct is
// the loop's, that of the first round becomes a part of the body.
#include "message/unroll_loop_by_two.h"

#include "transform/dead_exit.h"
#include "transform/loop_shape.h"

namespace refract::unroll_loop_by_two {
namespace {

using Message = message::UnrollLoopByTwo;
enum Role : uint64_t { kCopy = 1, kInside = 2 };

Verdict CheckLoop(const View& view, Block header) {
  const Module& module = view.module();
  LoopShape shape;
  if (const Verdict v = FindLoopShape(view, header, &shape); !v) return v;
  if (const Verdict v = MayReplaceRounds(module, shape); !v) return v;
  return MayAddEdges(module);
}

Verdict Check(const Message& message, const View& view) {
  const Block header = view.BlockStarting(message.header);
  if (header == Block::kNone) return No("the header is not there");
  return CheckLoop(view, header);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Block header = editor.view().BlockStarting(message.header);
  LoopShape shape;
  CHECK(FindLoopShape(editor.view(), header, &shape));
  const Inst round = module.Terminator(shape.before);
  const std::vector<Displaced> displaced =
      DisplaceAll(editor, kInside, shape.results, shape.blocks, round);
  Copies copies(editor, kCopy);
  copies.CopyBlocks(shape.blocks, shape.latch);
  const auto copy_of = [&](Block block) {
    return module.BlockOfLabel(copies.Of(module.LabelId(block)));
  };
  const Block copied_header = copy_of(header), latch = copy_of(shape.latch);
  editor.Remove(module.MergeInstruction(copied_header));
  editor.SetOperand(module.MergeInstruction(header), 1, module.LabelId(copy_of(shape.next)));
  editor.RedirectEdge(shape.latch, header, copied_header);
  editor.RedirectEdge(latch, copied_header, header);
  BeginCopyAfter(editor, shape, copies, shape.latch);
  JoinAtMerge(editor, shape, copies, displaced, shape.test);
  copies.CarryAllFacts(round);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!MayAddEdges(module)) return;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst merge = module.MergeInstruction(block);
      if (merge == Inst::kNone || module.Opcode(merge) != spv::Op::OpLoopMerge) return;
      if (!proposer.Toss() || !CheckLoop(proposer.view(), block)) return;
      proposer.Offer(Message{module.NameOf(module.Label(block))});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {8, 40},
     .follow_ons = {"peel_loop", "set_loop_control", "split_block", "add_dead_break",
                    "add_dead_continue"}});

}  // namespace refract::unroll_loop_by_two
