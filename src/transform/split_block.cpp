// SPDX-License-Identifier: Apache-2.0
#include "message/split_block.h"

#include "ir/block_head.h"
#include "ir/branches.h"
#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::split_block {
namespace {

using Message = message::SplitBlock;
enum Role : uint64_t { kLabel = 1, kBranch = 2 };

// Whether cutting the block before `before` would part an OpSampledImage from a use of it; SPIR-V
// 3.42.10 wants them in one block.
bool PartsSampledImage(const Module& module, Block block, Inst before) {
  for (Inst inst = module.First(block); inst != before; inst = module.Next(inst)) {
    if (module.Opcode(inst) != spv::Op::OpSampledImage) continue;
    for (Use use = module.FirstUse(module.Result(inst)); use != Use::kNone;
         use = module.NextUse(use)) {
      const Inst user = module.User(use);
      if (module.BlockOf(user) == block && !module.Precedes(user, before)) return true;
    }
  }
  return false;
}

Verdict CheckPlace(const Module& module, Inst before) {
  const Block block = module.BlockOf(before);
  if (!module.IsBasicBlock(block) || !module.Precedes(module.Label(block), before)) {
    return No("the instruction is not in the body of a block");
  }
  // SPIR-V 2.4: phis come first in a block, variables first in a function.
  if (module.Precedes(before, BodyStart(module, block))) {
    return No("phis and variables cannot be in the second part");
  }
  Inst prev = module.Prev(before);
  while (IsDebugLine(module.Opcode(prev))) prev = module.Prev(prev);
  if (IsMerge(module.Opcode(prev))) return No("a merge instruction stays with its branch");
  const Inst merge = module.MergeInstruction(block);
  // The back edge would go to a block that is no longer the header.
  if (merge != Inst::kNone && module.Opcode(merge) == spv::Op::OpLoopMerge) {
    return No("the block is a loop header");
  }
  if (PartsSampledImage(module, block, before)) {
    return No("a sampled image would be used in another block");
  }
  return Yes();
}

Verdict Check(const Message& message, const View& view) {
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction is not there");
  return CheckPlace(view.module(), before);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst before = module.Find(message.before);
  const Block old_block = module.BlockOf(before);
  const Block new_block = editor.SplitBlock(before, editor.Made(kLabel), editor.Made(kBranch));
  editor.CarryDead(old_block, new_block);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (!proposer.Toss()) return;
      std::vector<Inst> places;
      for (Inst inst = BodyStart(module, block); inst != Inst::kNone; inst = module.Next(inst)) {
        places.push_back(inst);
      }
      const Inst before = places[proposer.Pick(places.size())];
      if (CheckPlace(module, before)) proposer.Offer(Message{module.NameOf(before)});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60}, .follow_ons = {"add_dead_block", "add_dead_break", "add_dead_continue"}});

}  // namespace refract::split_block
