// SPDX-License-Identifier: Apache-2.0
// Wraps a region in a selection with a known condition. E is the first block of the region and X
// the last. E keeps its label and phis and becomes the header, so branches to E and references to E
// (as merge block, continue target or case) stay valid. The new merge block gets the terminator of
// X, so a branch out of the region leaves from the same nesting level as before. For a value
// defined inside and used outside, a phi takes over its name and id outside.
#include "message/wrap_region_in_selection.h"

#include "ir/block_head.h"
#include "rules/build/declare.h"
#include "rules/legality/condition.h"
#include "rules/legality/dead_exit.h"
#include "rules/legality/region.h"
#include "rules/rule.h"

namespace refract::wrap_region_in_selection {
namespace {

using Message = message::WrapRegionInSelection;
enum Role : uint64_t { kMerge = 5 };  // in addition to those of IsolateRegion

CheckResult CheckRegion(const Module& module, Block entry, Block exit) {
  if (module.Opcode(module.Terminator(exit)) != spv::Op::OpBranch) {
    return No("the exit block of the region does not end with OpBranch");
  }
  const Region region(module, entry, exit);
  if (const CheckResult v = region.Check(); !v) return v;
  return region.MayCarryOut();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const RegionEnds ends = FindEnds(view, message.entry, message.exit);
  if (const CheckResult v = CheckEnds(module, ends); !v) return v;
  if (const CheckResult v = CheckRegion(module, ends.entry, ends.exit); !v) return v;
  if (const CheckResult v = MayAddEdges(module, ends.entry); !v) return v;
  return IsConditionAt(view, message.condition, !message.on_false, BodyStart(module, ends.entry));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const RegionEnds ends = FindEnds(editor.view(), message.entry, message.exit);
  const Id condition = KnownCondition(editor, message.condition, !message.on_false);
  const IsolatedRegion cut = IsolateRegion(editor, ends);
  const Id entry = module.LabelId(cut.entry), exit = module.LabelId(cut.exit);
  editor.AddSelection(cut.entry, condition, cut.merge, editor.Made(kMerge));
  const Inst first = module.Next(module.Label(cut.merge));
  // The condition is known, so the phi never has the null value, and facts about the old value hold
  // for it.
  for (const Displaced& each : cut.displaced) {
    const Id null = DeclareNull(editor, module.TypeOf(each.inside));
    YieldAsPhi(editor, each, first, {each.inside, exit, null, entry});
  }
  if (!message.on_false) return;
  editor.SetTerminator(cut.entry, spv::Op::OpBranchConditional,
                       {condition, module.LabelId(cut.merge), module.LabelId(cut.first)});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!MayAddEdges(module)) return;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block entry) {
      if (!proposer.ShouldTry()) return;
      std::vector<Block> exits = ExitsFrom(module, entry);
      if (!exits.empty() && module.Opcode(module.Terminator(exits.back())) != spv::Op::OpBranch) {
        exits.pop_back();
      }
      if (exits.empty()) return;
      const Block exit = exits[proposer.Pick(exits.size())];
      if (!CheckRegion(module, entry, exit)) return;
      Message message{module.NameOf(module.Label(entry)),
                      module.NameOf(module.Terminator(exit)),
                      {},
                      proposer.Pick(2) == 0};
      message.condition = PickCondition(proposer, entry, !message.on_false);
      if (!Check(message, proposer.view())) message.condition = {};
      proposer.Offer(std::move(message));
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 50},
     .follow_ons = {"replace_bool_constant_with_comparison", "add_dead_break", "split_block",
                    "set_selection_control", "replace_constant_with_opaque_value",
                    "flatten_branch"}});

}  // namespace refract::wrap_region_in_selection
