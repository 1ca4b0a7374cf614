// SPDX-License-Identifier: Apache-2.0
// Duplicates a region: a selection runs either the region or its copy. As in
// wrap_region_in_selection, the first block keeps its label and phis, and the last its terminator.
// For a value defined inside and used outside, a phi takes over its name and id outside, so that
// uses there stay as they are.
#include "message/duplicate_region_with_selection.h"

#include "ir/availability.h"
#include "ir/block_head.h"
#include "ir/divergence/convergence.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/copies.h"
#include "rules/legality/condition.h"
#include "rules/legality/convergence.h"
#include "rules/legality/dead_exit.h"
#include "rules/legality/defined.h"
#include "rules/legality/region.h"
#include "rules/values.h"

namespace refract::duplicate_region_with_selection {
namespace {

using Message = message::DuplicateRegionWithSelection;
enum Role : uint64_t { kMerge = 5, kCopy = 6 };  // in addition to those of IsolateRegion

// Invocations that execute an instruction together must take the same side.
bool MayBeDiverged(const Module& module, Inst inst, Block entry, Id condition) {
  return condition != Id::kNone && PropertiesOf(module, inst).convergent &&
         module.Divergence().Seen(module, condition, entry) > RequiredUniformity(module, inst);
}

CheckResult MayCopyAll(const Module& module, const Region& region, Block entry, Id condition) {
  CheckResult check_result = Yes();
  size_t count = 0;
  region.ForEachInside([&](Inst inst) {
    if (!check_result) return;
    check_result = MayCopy(module, inst);
    if (check_result && MayBeDiverged(module, inst, entry, condition)) {
      check_result = No("fewer invocations would execute a convergent instruction together");
    }
    ++count;
  });
  if (check_result && count > kMostCopies) return No("the region is too large");
  return check_result;
}

// Both sides do the same, so any condition is allowed.
CheckResult CheckCondition(const View& view, Id condition, Block entry) {
  const Module& module = view.module();
  if (condition == Id::kNone) return No("the condition does not exist");
  if (!IsBool(module, module.TypeOf(condition))) return No("the condition is not a boolean");
  if (!IsAvailable(module, condition, BodyStart(module, entry))) {
    return No("the condition is not available at the entry block of the region");
  }
  return MayBranchOn(view, condition, entry);
}

CheckResult CheckRegion(const Module& module, Block entry, Block exit, Id condition) {
  const Region region(module, entry, exit);
  if (const CheckResult v = region.Check(); !v) return v;
  if (const CheckResult v = MayCopyAll(module, region, entry, condition); !v) return v;
  if (const CheckResult v = region.MayCarryOut(); !v) return v;
  return MayAddEdges(module, entry);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const RegionEnds ends = FindEnds(view, message.entry, message.exit);
  if (const CheckResult v = CheckEnds(module, ends); !v) return v;
  Id condition = Id::kNone;
  if (message.condition) {
    condition = view.Value(message.condition);
    if (const CheckResult v = CheckCondition(view, condition, ends.entry); !v) return v;
  }
  if (const CheckResult v = CheckRegion(module, ends.entry, ends.exit, condition); !v) return v;
  return condition == Id::kNone ? Yes() : MayDiverge(view, ends.entry, ends.exit, condition);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const RegionEnds ends = FindEnds(editor.view(), message.entry, message.exit);
  const Id condition = message.condition ? editor.view().Value(message.condition)
                                         : TrueCondition(editor, message.condition);
  const IsolatedRegion cut = IsolateRegion(editor, ends);
  Copies copies(editor, kCopy);
  const std::vector<Block> made = copies.CopyBlocks(cut.inside, cut.exit);
  const Id begin = module.LabelId(cut.first), exit = module.LabelId(cut.exit);
  editor.InsertPlain(module.Terminator(cut.entry), spv::Op::OpSelectionMerge, editor.Made(kMerge),
                     {module.LabelId(cut.merge), 0u});
  editor.SetTerminator(cut.entry, spv::Op::OpBranchConditional,
                       {condition, begin, copies.Of(begin)});
  const Inst first = module.Next(module.Label(cut.merge));
  for (const Displaced& each : cut.displaced) {
    YieldAsPhi(editor, each, first, {each.inside, exit, copies.Of(each.inside), copies.Of(exit)});
  }
  copies.CopyAllFacts();
  if (message.condition) return;
  for (Block block : made) editor.facts().SetDead(module.LabelId(block), editor.Provenance());
}

// A boolean near the entry; nothing if not found.
Name PickCondition(Proposer& proposer, Block entry) {
  const Module& module = proposer.module();
  std::vector<Id> booleans;
  for (Id id : ValuesNear(module, BodyStart(module, entry), 32)) {
    if (IsBool(module, module.TypeOf(id)) && !IsConstant(module.OpcodeOf(id))) {
      booleans.push_back(id);
    }
  }
  return booleans.empty() ? Name{} : module.NameOf(booleans[proposer.Pick(booleans.size())]);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block entry) {
      if (!proposer.ShouldTry()) return;
      const std::vector<Block> exits = ExitsFrom(module, entry);
      if (exits.empty()) return;
      const Block exit = exits[proposer.Pick(exits.size())];
      Message message{
          module.NameOf(module.Label(entry)), module.NameOf(module.Terminator(exit)), {}};
      if (proposer.Pick(3) != 0) message.condition = PickCondition(proposer, entry);
      if (message.condition && !Check(message, proposer.view())) message.condition = {};
      if (Check(message, proposer.view())) proposer.Offer(std::move(message));
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 12},
     .follow_ons = {"replace_irrelevant_id", "set_selection_control", "add_dead_break",
                    "swap_conditional_branch_operands", "flatten_branch", "outline_function"}});

}  // namespace refract::duplicate_region_with_selection
