// SPDX-License-Identifier: Apache-2.0
// Turns a switch with two targets into a conditional branch. The terminator stays in place under
// its name, and no edges change.
#include "message/replace_switch_with_branch.h"

#include <algorithm>

#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/legality/switch_shape.h"
#include "rules/rule.h"
#include "rules/uses.h"

namespace refract::replace_switch_with_branch {
namespace {

using Message = message::ReplaceSwitchWithBranch;
enum Role : uint64_t { kEqual = 1, kOr = 2 };
constexpr size_t kMostLiterals = 8;

// The cases whose target differs from the default.
std::vector<SwitchCase> Others(const Switch& parts) {
  std::vector<SwitchCase> others;
  std::copy_if(parts.cases.begin(), parts.cases.end(), std::back_inserter(others),
               [&](const SwitchCase& each) { return each.target != parts.default_target; });
  return others;
}

bool IsListed(const std::vector<SwitchCase>& cases, uint64_t value) {
  return std::any_of(cases.begin(), cases.end(),
                     [&](const SwitchCase& each) { return each.value == value; });
}

// Checks that the values include all literals of these cases. Further values are allowed: they
// belong to cases of steps that were removed.
CheckResult CheckValues(const std::vector<uint64_t>& values, const std::vector<SwitchCase>& cases,
                        uint32_t width) {
  if (values.size() > kMostLiterals) return No("the list of literals is too long");
  for (auto value = values.begin(); value != values.end(); ++value) {
    if (width < 64 && *value >> width != 0) return No("a literal has more bits than the selector");
    if (std::find(values.begin(), value, *value) != value) {
      return No("the list of literals contains the same literal twice");
    }
  }
  for (const SwitchCase& each : cases) {
    if (std::find(values.begin(), values.end(), each.value) == values.end()) {
      return No("the OpSwitch has a literal that is not in the list");
    }
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.branch);
  const std::optional<Switch> parts = ParseSwitch(module, inst);
  if (!parts) return No("the OpSwitch does not exist");
  if (!module.Flow(module[parts->header].function).Reachable(parts->header)) {
    return No("the block is unreachable");
  }
  const std::vector<SwitchCase> others = Others(*parts);
  if (others.empty()) return No("the OpSwitch has only one target");
  for (const SwitchCase& each : others) {
    if (each.target != others[0].target) return No("the OpSwitch has more than two targets");
  }
  if (const CheckResult v = CheckValues(message.values, others, parts->width); !v) return v;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) view.DependOn(inst, i);
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
  // A value computed only from an irrelevant value is irrelevant.
  const auto made = [&](Id id) {
    if (found != nullptr) editor.facts().SetIrrelevant(id, editor.Provenance(why));
    return id;
  };
  Id condition = Id::kNone;
  for (uint64_t value : message.values) {
    const Id literal = Declare(editor, ScalarConstant(module, type, value));
    Id equal = made(editor.InsertValue(where, spv::Op::OpIEqual, boolean,
                                       editor.Made(kEqual, value), {selector, literal}));
    if (!IsListed(others, value)) equal = Declare(editor, BoolConstant(false));
    condition = condition == Id::kNone
                    ? equal
                    : made(editor.InsertValue(where, spv::Op::OpLogicalOr, boolean,
                                              editor.Made(kOr, value), {condition, equal}));
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
      if (module.Opcode(inst) != spv::Op::OpSwitch || !proposer.ShouldTry()) return;
      const std::optional<Switch> parts = ParseSwitch(module, inst);
      if (!parts) return;
      Message message{module.NameOf(inst), {}};
      for (const SwitchCase& each : Others(*parts)) message.values.push_back(each.value);
      if (Check(message, proposer.view())) proposer.Offer(message);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 90},
     .follow_ons = {"swap_conditional_branch_operands", "flatten_branch", "invert_comparison",
                    "set_branch_weights"}});

}  // namespace refract::replace_switch_with_branch
