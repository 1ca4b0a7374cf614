// SPDX-License-Identifier: Apache-2.0
// The first round is a copy of the loop's blocks in which the header's phis have what they begin
// with. Its test becomes the header of a selection around what is left: the rest of the copy and
// the loop, which gets a merge block of its own on the way to the old one. Who goes round together,
// and who waits for whom at the merge block, is as before.
//
//   before -> copy of header .. copy of test -> merge
//                               copy of test .. copy of latch -> loop -> new block -> merge
#include "message/peel_loop.h"

#include "transform/dead_exit.h"
#include "transform/loop_shape.h"

namespace refract::peel_loop {
namespace {

using Message = message::PeelLoop;
enum Role : uint64_t { kCopy = 1, kSelection = 2, kMergeLabel = 3, kMergeBranch = 4, kInside = 5 };

Verdict CheckLoop(const View& view, Block header) {
  const Module& module = view.module();
  LoopShape shape;
  if (const Verdict v = FindLoopShape(view, header, &shape); !v) return v;
  if (const Verdict v = MayReplaceRounds(module, shape); !v) return v;
  const ControlFlow& flow = module.Flow(module[header].function);
  if (flow.IsMergeBlock(header) || flow.IsContinueTarget(header)) {
    if (flow.HeaderOfContinue(header) != header || flow.IsMergeBlock(header)) {
      return No("the header ends or continues another construct: it needs a preheader");
    }
  }
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
  copies.CopyBlocks(shape.blocks, module[header].prev);
  const auto copy_of = [&](Block block) {
    return module.BlockOfLabel(copies.Of(module.LabelId(block)));
  };
  const Block copied_header = copy_of(header), test = copy_of(shape.test),
              latch = copy_of(shape.latch);
  editor.Remove(module.MergeInstruction(copied_header));
  editor.InsertPlain(module.Terminator(test), spv::Op::OpSelectionMerge, editor.Made(kSelection),
                     {module.LabelId(shape.merge), 0u});
  editor.RedirectEdge(shape.before, header, copied_header);
  editor.RedirectEdge(latch, copied_header, header);
  BeginCopyAfter(editor, shape, copies, shape.before);
  const Block after = editor.AddBlockAfter(module[shape.merge].prev, editor.Made(kMergeLabel));
  editor.AppendPlain(after, spv::Op::OpBranch, editor.Made(kMergeBranch),
                     {module.LabelId(shape.merge)});
  editor.RedirectEdge(shape.test, shape.merge, after);
  editor.SetOperand(module.MergeInstruction(header), 0, module.LabelId(after));
  JoinAtMerge(editor, shape, copies, displaced, after);
  copies.CarryAllFacts(round);
  editor.CarryDead(shape.merge, after);
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
    {.chance = {10, 50},
     .follow_ons = {"unroll_loop_by_two", "set_selection_control", "split_block",
                    "propagate_instruction_down", "add_dead_break"}});

}  // namespace refract::peel_loop
