// SPDX-License-Identifier: Apache-2.0
// The terminator stays the end of its block and becomes another; no edge changes.
#include "message/replace_switch_with_branch.h"

#include <algorithm>

#include "transform/context_editor.h"
#include "transform/declare.h"
#include "transform/rule.h"
#include "transform/switch_shape.h"
#include "transform/uses.h"

namespace refract::replace_switch_with_branch {
namespace {

using Message = message::ReplaceSwitchWithBranch;
enum Role : uint64_t { kEqual = 1, kOr = 2 };
constexpr size_t kMostLiterals = 8;

// The cases that go elsewhere than the default.
std::vector<SwitchCase> Others(const Switch& parts) {
  std::vector<SwitchCase> others;
  std::copy_if(parts.cases.begin(), parts.cases.end(), std::back_inserter(others),
               [&](const SwitchCase& each) { return each.target != parts.default_target; });
  return others;
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.branch);
  const std::optional<Switch> parts = ParseSwitch(module, inst);
  if (!parts) return No("there is no such OpSwitch");
  if (!module.Flow(module[parts->header].function).Reachable(parts->header)) {
    return No("the block is not reachable");
  }
  const std::vector<SwitchCase> others = Others(*parts);
  if (others.empty()) return No("there is only one target");
  for (const SwitchCase& each : others) {
    if (each.target != others[0].target) return No("there are more than two targets");
  }
  if (others.size() > kMostLiterals) return No("there are too many literals");
  for (uint32_t i = 1; i < module.OperandCount(inst); ++i) view.CountOn(inst, i);
  return MayBeSelection(module, *parts);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.branch);
  const Switch parts = *ParseSwitch(module, inst);
  const std::vector<SwitchCase> others = Others(parts);
  const Id selector = module.IdAt(inst, 0), type = module.TypeOf(selector);
  const Inst where = EndOfBlock(module, parts.header);
  const Id boolean = Declare(editor, BoolType());
  const Steps* found = editor.facts().Irrelevant(selector);
  const Steps why = found != nullptr ? *found : Steps{};
  // Of an irrelevant value any other would do, so of what is computed from it alone too.
  const auto made = [&](Id id) {
    if (found != nullptr) editor.facts().SetIrrelevant(id, editor.Because(why));
    return id;
  };
  Id condition = Id::kNone;
  for (const SwitchCase& each : others) {
    const Id literal = Declare(editor, ScalarConstant(module, type, each.value));
    const Id equal = made(editor.InsertValue(where, spv::Op::OpIEqual, boolean,
                                             editor.Made(kEqual, each.value), {selector, literal}));
    condition = condition == Id::kNone
                    ? equal
                    : made(editor.InsertValue(where, spv::Op::OpLogicalOr, boolean,
                                              editor.Made(kOr, each.value), {condition, equal}));
  }
  editor.SetTerminator(
      parts.header, spv::Op::OpBranchConditional,
      {condition, module.LabelId(others[0].target), module.LabelId(parts.default_target)});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst inst = module.Terminator(block);
      if (module.Opcode(inst) != spv::Op::OpSwitch || !proposer.Toss()) return;
      Message message{module.NameOf(inst)};
      if (Check(message, proposer.view())) proposer.Offer(message);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 90},
     .follow_ons = {"swap_conditional_branch_operands", "flatten_branch", "invert_comparison"}});

}  // namespace refract::replace_switch_with_branch
