// SPDX-License-Identifier: Apache-2.0
// Splits a block in two.
#include "message/split_block.h"

#include "ir/block_head.h"
#include "rules/context_editor.h"
#include "rules/legality/split.h"
#include "rules/offer.h"
#include "rules/rule.h"

namespace refract::split_block {
namespace {

using Message = message::SplitBlock;
enum Role : uint64_t { kLabel = 1, kBranch = 2 };

CheckResult Check(const Message& message, const View& view) {
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  return MaySplitBefore(view.module(), before);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst before = module.Find(message.before);
  const Block old_block = module.BlockOf(before);
  const Block new_block = editor.SplitBlock(before, editor.Made(kLabel), editor.Made(kBranch));
  editor.CopyDeadFacts(old_block, new_block);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (!proposer.ShouldTry()) return;
      std::vector<Inst> places;
      for (Inst inst = BodyStart(module, block); inst != Inst::kNone; inst = module.Next(inst)) {
        places.push_back(inst);
      }
      const Inst before = places[proposer.Pick(places.size())];
      if (ShouldSkip(proposer, before)) return;
      if (MaySplitBefore(module, before)) proposer.Offer(Message{module.NameOf(before)});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60},
     .follow_ons = {"add_dead_block", "add_dead_break", "add_dead_continue", "merge_blocks"}});

}  // namespace refract::split_block
