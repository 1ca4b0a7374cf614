// SPDX-License-Identifier: Apache-2.0
// Adds an edge that is never taken, from one case of a switch to another. A conditional branch
// without a merge instruction must leave a construct on one side (SPIR-V 2.16.2), so the edge is
// added to a break or continue. The dominator of the other case stays the same, because the switch
// branches to it anyway.
#include "message/add_dead_fall_through.h"

#include <optional>
#include <vector>

#include "rules/legality/condition.h"
#include "rules/legality/dead_exit.h"
#include "rules/legality/switch_shape.h"

namespace refract::add_dead_fall_through {
namespace {

using Message = message::AddDeadFallThrough;

// The switch that contains `block`, without another construct in between.
std::optional<Switch> SwitchAround(const Module& module, Block block) {
  const ControlFlow& flow = module.Flow(module[block].function);
  const uint32_t innermost = flow.InnermostConstruct(block);
  if (innermost == Construct::kNone) return std::nullopt;
  const Construct& construct = flow.constructs[innermost];
  if (construct.kind != ConstructKind::kSwitch) return std::nullopt;
  return ParseSwitch(module, module.Terminator(construct.header));
}

// Records a dependency on the steps that put the two cases in place.
void DependOnCases(const View& view, const Switch& parts, Block from, Block to) {
  const Module& module = view.module();
  const Inst inst = module.Terminator(parts.header);
  for (uint32_t i = 1; i < module.OperandCount(inst); ++i) {
    if (!module.IsId(inst, i)) continue;
    const Id label = module.IdAt(inst, i);
    if (label == module.LabelId(from) || label == module.LabelId(to)) view.DependOn(inst, i);
  }
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Block block = view.BlockEnding(message.branch);
  if (const CheckResult v = MayBecomeConditional(view, block); !v) return v;
  const ControlFlow& flow = module.Flow(module[block].function);
  const std::optional<Switch> parts = SwitchAround(module, block);
  const Block from = parts ? CaseContaining(flow, *parts, block) : Block::kNone;
  if (from == Block::kNone) return No("the block is not directly in a case of a switch");
  if (!LeavesConstruct(flow, block)) return No("the branch does not leave a construct");
  const Block to = view.BlockStarting(message.target);
  if (to == Block::kNone || !IsTarget(*parts, to)) {
    return No("the target is not a case of the OpSwitch");
  }
  if (const CheckResult v = MayFallThrough(flow, *parts, from, to); !v) return v;
  DependOnCases(view, *parts, from, to);
  if (const CheckResult v = MayAddDeadExit(module, block, to); !v) return v;
  return IsTrueAt(view, message.condition, module.Terminator(block));
}

void Apply(const Message& message, ContextEditor& editor) {
  AddDeadExit(editor, editor.view().BlockEnding(message.branch),
              editor.view().BlockStarting(message.target), message.condition);
}

// The targets that the case of `from` may fall through to.
std::vector<Block> Targets(const ControlFlow& flow, const Switch& parts, Block from) {
  std::vector<Block> targets;
  const auto add = [&](Block to) {
    if ((targets.empty() || targets.back() != to) && MayFallThrough(flow, parts, from, to)) {
      targets.push_back(to);
    }
  };
  for (size_t i = 0; i + 1 < parts.cases.size(); ++i) {
    if (parts.cases[i].target == from) add(parts.cases[i + 1].target);
  }
  add(parts.default_target);
  if (from == parts.default_target && !parts.cases.empty()) add(parts.cases[0].target);
  return targets;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!MayAddEdges(module)) return;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (module.Opcode(module.Terminator(block)) != spv::Op::OpBranch) return;
      const ControlFlow& flow = module.Flow(function);
      const uint32_t innermost = flow.InnermostConstruct(block);
      if (!flow.Reachable(block) || innermost == Construct::kNone) return;
      if (flow.constructs[innermost].kind != ConstructKind::kSwitch) return;
      if (!LeavesConstruct(flow, block) || !proposer.ShouldTry()) return;
      const std::optional<Switch> parts = SwitchAround(module, block);
      const Block from = parts ? CaseContaining(flow, *parts, block) : Block::kNone;
      if (from == Block::kNone) return;
      const std::vector<Block> targets = Targets(flow, *parts, from);
      if (targets.empty()) return;
      const Block to = targets[proposer.Pick(targets.size())];
      if (!MayAddDeadExit(module, block, to)) return;
      proposer.Offer(Message{module.NameOf(module.Terminator(block)),
                             module.NameOf(module.Label(to)), PickTrueCondition(proposer, block)});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 90},
     .follow_ons = {"replace_bool_constant_with_comparison", "split_block", "add_switch_case",
                    "replace_operand_with_undef"}});

}  // namespace refract::add_dead_fall_through
