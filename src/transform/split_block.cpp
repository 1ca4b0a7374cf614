// SPDX-License-Identifier: Apache-2.0
#include "message/split_block.h"

#include "ir/branches.h"
#include "ir/types.h"
#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::split_block {
namespace {

using Message = message::SplitBlock;
enum Role : uint64_t { kLabel = 1, kBranch = 2 };

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction is not there");
  const Block block = module.BlockOf(before);
  if (!module.IsBasicBlock(block) || !module.Precedes(module.Label(block), before)) {
    return No("the instruction is not in the body of a block");
  }
  const spv::Op opcode = module.Opcode(before);
  // SPIR-V 2.4: phis come first in a block, variables first in a function.
  if (opcode == spv::Op::OpPhi || opcode == spv::Op::OpVariable) {
    return No("a phi or variable cannot begin the second part");
  }
  Inst prev = module.Prev(before);
  while (module.Opcode(prev) == spv::Op::OpLine || module.Opcode(prev) == spv::Op::OpNoLine) {
    prev = module.Prev(prev);
  }
  if (IsMerge(module.Opcode(prev))) return No("a merge instruction stays with its branch");
  const Inst merge = module.MergeInstruction(block);
  // The back edge would go to a block that is no longer the header.
  if (merge != Inst::kNone && module.Opcode(merge) == spv::Op::OpLoopMerge) {
    return No("the block is a loop header");
  }
  // SPIR-V 3.42.10: the result of OpSampledImage is used in its own block only.
  for (Inst inst = module.First(block); inst != before; inst = module.Next(inst)) {
    if (module.Opcode(inst) != spv::Op::OpSampledImage) continue;
    for (Use use = module.FirstUse(module.Result(inst)); use != Use::kNone;
         use = module.NextUse(use)) {
      const Inst user = module.User(use);
      if (module.BlockOf(user) == block && !module.Precedes(user, before)) {
        return No("a sampled image would be used in another block");
      }
    }
  }
  return Yes();
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
      for (Inst inst = module.Label(block); inst != Inst::kNone; inst = module.Next(inst)) {
        if (Check({module.NameOf(inst)}, proposer.view())) places.push_back(inst);
      }
      if (places.empty()) return;
      proposer.Offer(Message{module.NameOf(places[proposer.Pick(places.size())])});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60}, .follow_ons = {"add_dead_block", "add_dead_break", "add_dead_continue"}});

}  // namespace refract::split_block
