// SPDX-License-Identifier: Apache-2.0
// Adds a selection or switch with an empty body. Nothing depends on the path taken, so the
// condition can be any value on which a branch may depend. Constructs nest if one is inserted into
// a block of another.
#include "message/add_empty_construct.h"

#include "ir/availability.h"
#include "ir/block_head.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/legality/defined.h"
#include "rules/legality/split.h"
#include "rules/rule.h"
#include "rules/values.h"
#include "transform/control_flow/empty_sides.h"

namespace refract::add_empty_construct {
namespace {

using Message = message::AddEmptyConstruct;
// SPIR-V 1.6, OpBranchConditional: "True Label must not be the same as False Label".
constexpr uint32_t kVersionRequiringTwoTargets = 0x00010600;

CheckResult CheckCondition(const Message& message, const View& view, Inst before) {
  const Module& module = view.module();
  const Id condition = view.Value(message.condition);
  if (condition == Id::kNone) return No("the condition does not exist");
  const Id type = module.TypeOf(condition);
  if (message.is_switch ? !IsInt(module, type) : !IsBool(module, type)) {
    return No("the condition is not a boolean, or the selector is not an integer");
  }
  if (!IsAvailable(module, condition, before)) {
    return No("the condition is not available at the insertion point");
  }
  return MayBranchOn(view, condition, module.BlockOf(before));
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (const CheckResult v = MaySplitBefore(module, before); !v) return v;
  if (!module.Flow(module.FunctionOf(before)).Reachable(module.BlockOf(before))) {
    return No("the block is unreachable");
  }
  if (!message.is_switch && !message.on_true && !message.on_false &&
      module.version() >= kVersionRequiringTwoTargets) {
    return No("from SPIR-V 1.6 the targets of OpBranchConditional must differ");
  }
  return message.condition ? CheckCondition(message, view, before) : Yes();
}

Id ConstantFor(ContextEditor& editor, bool is_switch) {
  if (!is_switch) return Declare(editor, BoolConstant(true));
  // SPIR-V 2.16.1: ints have no sign in kernels.
  const bool is_kernel = HasCapability(editor.module(), spv::Capability::Kernel);
  return Declare(editor, ScalarConstant(IntType(32, !is_kernel), 0));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Id condition =
      message.condition ? module.FindId(message.condition) : ConstantFor(editor, message.is_switch);
  const EmptySelection made = AddEmptySelection(editor, module.Find(message.before), condition,
                                                {message.on_true, message.on_false});
  if (message.condition) return;
  const Block unused = message.is_switch ? made.from_true : made.from_false;
  if (unused != made.header) editor.facts().SetDead(module.LabelId(unused), editor.Provenance());
}

void Propose(Proposer& proposer) {
  constexpr size_t kNear = 12;
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (!proposer.ShouldTry()) return;
      std::vector<Inst> places;
      for (Inst inst = BodyStart(module, block); inst != Inst::kNone; inst = module.Next(inst)) {
        places.push_back(inst);
      }
      const Inst before = places[proposer.Pick(places.size())];
      if (!MaySplitBefore(module, before)) return;
      const size_t sides = proposer.Pick(4);
      Message message{module.NameOf(before), false, {}, (sides & 1) != 0, (sides & 2) != 0};
      if (proposer.Pick(4) != 0) {
        std::vector<Id> near;
        for (Id value : ValuesNear(module, before, kNear)) {
          const Id type = module.TypeOf(value);
          if (IsBool(module, type) || IsInt(module, type)) near.push_back(value);
        }
        if (!near.empty()) {
          const Id picked = near[proposer.Pick(near.size())];
          message.condition = module.NameOf(picked);
          message.is_switch = !IsBool(module, module.TypeOf(picked));
          if (!Check(message, proposer.view())) message.condition = {};
        }
      } else {
        message.is_switch = proposer.Pick(2) == 0;
      }
      if (Check(message, proposer.view())) proposer.Offer(message);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 20},
     .follow_ons = {"add_switch_case", "add_dead_block", "replace_bool_constant_with_comparison",
                    "set_selection_control", "add_dead_break", "replace_branch_with_switch"}});

}  // namespace refract::add_empty_construct
