// SPDX-License-Identifier: Apache-2.0
// Adds a loop to a dead block. The block is split, and the loop is inserted between the two parts.
// The second part is its merge block, so the constructs around it do not change. If the loop is
// endless, only the structure leads to the merge block.
#include "message/add_dead_loop.h"

#include <vector>

#include "ir/availability.h"
#include "ir/block_head.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/condition.h"
#include "rules/legality/function_exit.h"
#include "rules/legality/split.h"
#include "rules/values.h"

namespace refract::add_dead_loop {
namespace {

using Message = message::AddDeadLoop;
enum Role : uint64_t { kMergeLabel = 1, kEntry = 2, kLabel = 3, kEnd = 4, kMerge = 5 };
constexpr uint32_t kMaxBlocks = 3;

CheckResult CheckPlace(const Module& module, Inst before) {
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (const CheckResult v = MaySplitBefore(module, before); !v) return v;
  if (!module.Flow(module.FunctionOf(before)).Reachable(module.BlockOf(before))) {
    return No("the block is unreachable");
  }
  return Yes();
}

CheckResult CheckCondition(const View& view, Name condition, Inst before) {
  if (!condition) return Yes();
  const Module& module = view.module();
  const Id id = view.Value(condition);
  if (id == Id::kNone || !IsBool(module, module.TypeOf(id))) {
    return No("the condition does not exist or is not a boolean");
  }
  return IsAvailable(module, id, before)
             ? Yes()
             : No("the condition is not available at the insertion point");
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (message.blocks == 0 || message.blocks > kMaxBlocks) {
    return No("the number of blocks must be 1 to 3");
  }
  if (message.leaves > message.blocks) {
    return No("the number of the block that leaves the loop is larger than the number of blocks");
  }
  const Inst before = view.Find(message.before);
  if (const CheckResult v = CheckPlace(module, before); !v) return v;
  const Block block = module.BlockOf(before);
  if (!view.IsDead(block)) return No("the block is not known to be dead");
  if (message.leaves == 0) return MayCutOff(view, block);
  return CheckCondition(view, message.condition, before);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst before = module.Find(message.before);
  const Block block = module.BlockOf(before);
  const Id condition = message.leaves == 0 ? Id::kNone : TrueCondition(editor, message.condition);
  const Block merge = editor.SplitBlock(before, editor.Made(kMergeLabel), editor.Made(kEntry));
  editor.CopyDeadFacts(block, merge);
  std::vector<Block> loop;
  for (uint64_t i = 0; i < message.blocks; ++i) {
    loop.push_back(editor.AddBlockAfter(i == 0 ? block : loop.back(), editor.Made(kLabel, i)));
    editor.CopyDeadFacts(block, loop.back());
  }
  editor.SetTerminator(block, spv::Op::OpBranch, {module.LabelId(loop[0])});
  editor.AppendPlain(loop[0], spv::Op::OpLoopMerge, editor.Made(kMerge),
                     {module.LabelId(merge), module.LabelId(loop.back()), 0u});
  for (uint64_t i = 0; i < message.blocks; ++i) {
    const Id next = module.LabelId(loop[(i + 1) % loop.size()]);
    if (i + 1 == message.leaves) {
      editor.AppendPlain(loop[i], spv::Op::OpBranchConditional, editor.Made(kEnd, i),
                         {condition, next, module.LabelId(merge)});
    } else {
      editor.AppendPlain(loop[i], spv::Op::OpBranch, editor.Made(kEnd, i), {next});
    }
  }
}

// The name of a boolean near the place, or an empty name for the constant.
Name PickCondition(Proposer& proposer, Inst before) {
  const Module& module = proposer.module();
  std::vector<Id> near = ValuesNear(module, before, 16);
  std::erase_if(near, [&](Id id) { return !IsBool(module, module.TypeOf(id)); });
  const size_t picked = proposer.Pick(near.size() + 1);
  return picked < near.size() ? module.NameOf(near[picked]) : Name{};
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const Facts& facts = proposer.view().facts();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (facts.Dead(module.LabelId(block)) == nullptr || !proposer.ShouldTry()) return;
      std::vector<Inst> places;
      for (Inst inst = BodyStart(module, block); inst != Inst::kNone; inst = module.Next(inst)) {
        places.push_back(inst);
      }
      const Inst before = places[proposer.Pick(places.size())];
      if (!CheckPlace(module, before)) return;
      Message message{module.NameOf(before), 0, 0, {}};
      message.blocks = 1 + static_cast<uint32_t>(proposer.Pick(kMaxBlocks));
      message.leaves = static_cast<uint32_t>(proposer.Pick(message.blocks + 1));
      if (message.leaves != 0) {
        message.condition = PickCondition(proposer, before);
      }
      if (Check(message, proposer.view())) proposer.Offer(message);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60},
     .follow_ons = {"set_loop_control", "add_dead_break", "add_dead_continue", "access",
                    "replace_bool_constant_with_comparison",
                    "replace_phi_operand_from_dead_predecessor", "add_barrier"}});

}  // namespace refract::add_dead_loop
