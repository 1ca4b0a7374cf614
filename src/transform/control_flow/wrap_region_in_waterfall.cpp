// SPDX-License-Identifier: Apache-2.0
// Puts a waterfall loop around a region. E is the first block of the region and X the last. E keeps
// its label and phis and becomes the block before the loop. The merge block gets the terminator of
// X, so a branch out of the region leaves from the same nesting level as before.
//
//   E -> header -> body ... X -> merge
//           \-> continue -> header
//
// The loop terminates: the first of the invocations that reach the header together has the value
// that it broadcasts, so at least this one leaves. Only X branches to the merge block, so values
// defined in the region are still available after it.
#include "message/wrap_region_in_waterfall.h"

#include "ir/availability.h"
#include "ir/block_head.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/convergence.h"
#include "rules/legality/dead_exit.h"
#include "rules/legality/defined.h"
#include "rules/legality/region.h"
#include "rules/values.h"

namespace refract::wrap_region_in_waterfall {
namespace {

using Message = message::WrapRegionInWaterfall;
using Op = spv::Op;
enum Role : uint64_t {
  kHeader = 1,
  kEntryBranch = 2,
  kBody = 3,
  kHeaderBranch = 4,
  kMergeLabel = 5,
  kExitBranch = 6,
  kContinue = 7,
  kContinueBranch = 8,
  kMerge = 9,
  kFirst = 10,
  kSame = 11
};

message::Constant ScopeConstant() {
  return ScalarConstant(IntType(32, false), static_cast<uint64_t>(spv::Scope::Subgroup));
}

CheckResult CheckRegion(const Module& module, Block entry, Block exit) {
  const Region region(module, entry, exit);
  if (const CheckResult v = region.Check(); !v) return v;
  bool any = false;
  region.ForEachInside([&](Inst inst) { any = any || PropertiesOf(module, inst).convergent; });
  if (any) return No("fewer invocations would execute a convergent instruction together");
  return MayAddEdges(module, entry);
}

// Requires 32-bit ints. Other widths need a device feature (Vulkan, shaderSubgroupExtendedTypes).
CheckResult CheckValue(const View& view, Id value, Block entry) {
  const Module& module = view.module();
  if (value == Id::kNone) return No("the value does not exist");
  const Id type = module.TypeOf(value);
  if (!IsInt(module, type) || Width(module, type) != 32) {
    return No("the value is not a 32-bit integer");
  }
  if (!IsAvailable(module, value, BodyStart(module, entry))) {
    return No("the value is not available at the entry block of the region");
  }
  if (!IsSurelyDefined(view, value) || !IsSurelyExact(view, value)) {
    return No("the value may be undefined or approximate");
  }
  // The loop uses the value twice; if a step replaced one use, an invocation could stay in the
  // loop.
  if (view.facts().Irrelevant(value) != nullptr) return No("the value is marked as irrelevant");
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (!HasCapability(module, spv::Capability::GroupNonUniformBallot)) {
    return No("the module does not declare the required capability");
  }
  const RegionEnds ends = FindEnds(view, message.entry, message.exit);
  if (const CheckResult v = CheckEnds(module, ends); !v) return v;
  // In other stages, helper invocations may or may not take part, so an invocation might wait
  // forever.
  if (StagesReaching(module, module[ends.entry].function) != Stages::kCompute) {
    return No("a shader of another stage can reach the function");
  }
  if (const CheckResult v = CheckValue(view, view.Value(message.value), ends.entry); !v) return v;
  if (const CheckResult v = CheckRegion(module, ends.entry, ends.exit); !v) return v;
  return MayDiverge(view, ends.entry, ends.exit, view.Value(message.value));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const auto [entry, exit] = FindEnds(editor.view(), message.entry, message.exit);
  const Id value = module.FindId(message.value);
  const Block merge = editor.SplitBlock(module.Terminator(exit), editor.Made(kMergeLabel),
                                        editor.Made(kExitBranch));
  const Block header =
      editor.SplitBlock(BodyStart(module, entry), editor.Made(kHeader), editor.Made(kEntryBranch));
  const Block body = editor.SplitBlock(module.Next(module.Label(header)), editor.Made(kBody),
                                       editor.Made(kHeaderBranch));
  const Block next = editor.AddBlockAfter(exit == entry ? body : exit, editor.Made(kContinue));
  editor.AppendPlain(next, Op::OpBranch, editor.Made(kContinueBranch), {module.LabelId(header)});
  editor.CopyDeadFacts(exit, merge);
  for (Block block : {header, body, next}) editor.CopyDeadFacts(entry, block);
  const Inst end = module.Terminator(header);
  const Id scope = Declare(editor, ScopeConstant()), boolean = Declare(editor, BoolType());
  const Id first = editor.InsertValue(end, Op::OpGroupNonUniformBroadcastFirst,
                                      module.TypeOf(value), editor.Made(kFirst), {scope, value});
  const Id same =
      editor.InsertValue(end, Op::OpIEqual, boolean, editor.Made(kSame), {value, first});
  const Id next_id = module.LabelId(next);
  editor.InsertPlain(end, Op::OpLoopMerge, editor.Made(kMerge),
                     {module.LabelId(merge), next_id, 0u});
  editor.SetTerminator(header, Op::OpBranchConditional, {same, module.LabelId(body), next_id});
}

// Picks the value that distinguishes the invocations: an int near the entry that is not constant.
Name PickValue(Proposer& proposer, Block entry) {
  const Module& module = proposer.module();
  std::vector<Id> ints;
  for (Id id : ValuesNear(module, BodyStart(module, entry), 32)) {
    if (IsInt(module, module.TypeOf(id)) && !IsConstant(module.OpcodeOf(id))) ints.push_back(id);
  }
  return ints.empty() ? Name{} : module.NameOf(ints[proposer.Pick(ints.size())]);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!HasCapability(module, spv::Capability::GroupNonUniformBallot)) return;
  if (!MayAddEdges(module)) return;
  ForEachFunction(proposer, [&](Function function) {
    if (StagesReaching(module, function) != Stages::kCompute) return;
    ForEachBlock(module, function, [&](Block entry) {
      if (!proposer.ShouldTry()) return;
      const std::vector<Block> exits = ExitsFrom(module, entry);
      if (exits.empty()) return;
      const Block exit = exits[proposer.Pick(exits.size())];
      // Several tries, because not every value is suitable.
      for (int tries = 0; tries < 3; ++tries) {
        Message message{module.NameOf(module.Label(entry)), module.NameOf(module.Terminator(exit)),
                        PickValue(proposer, entry)};
        if (!message.value) return;
        if (!Check(message, proposer.view())) continue;
        proposer.Offer(std::move(message));
        return;
      }
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {30, 100},
     .follow_ons = {"replace_id_with_synonym", "set_loop_control", "split_block", "add_dead_break",
                    "add_dead_continue"}});

}  // namespace refract::wrap_region_in_waterfall
