// SPDX-License-Identifier: Apache-2.0
// Adds a case to a switch. The order of cases matters (SPIR-V 1.6 revision 2, 2.11.2): a case that
// falls through stands directly before the case that it falls through to, and literals with the
// same target are adjacent. Therefore the target alone decides the position of a new case.
#include "message/add_switch_case.h"

#include <algorithm>

#include "ir/edges.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/legality/condition.h"
#include "rules/legality/dead_exit.h"
#include "rules/legality/switch_shape.h"
#include "rules/rule.h"
#include "transform/control_flow/empty_sides.h"
#include "transform/control_flow/impossible_value.h"

namespace refract::add_switch_case {
namespace {

using Message = message::AddSwitchCase;
enum Role : uint64_t { kLabel = 1, kBranch = 2 };
constexpr size_t kMostCases = 64;

using Cases = std::vector<SwitchCase>;

Cases::const_iterator FirstOf(const Cases& cases, Block target) {
  return std::find_if(cases.begin(), cases.end(),
                      [&](const SwitchCase& each) { return each.target == target; });
}

// The position after the last case of this target; the end if not found.
Cases::const_iterator AfterLastOf(const Cases& cases, Block target) {
  auto at = FirstOf(cases, target);
  while (at != cases.end() && at->target == target) ++at;
  return at;
}

Cases::const_iterator PlaceOf(const ControlFlow& flow, const Switch& parts, Block target,
                              bool over_new_block) {
  const Cases& cases = parts.cases;
  const bool is_listed = FirstOf(cases, target) != cases.end();
  if (target == parts.merge && (over_new_block || !is_listed)) return cases.end();
  if (is_listed) return over_new_block ? FirstOf(cases, target) : AfterLastOf(cases, target);
  // The default has no position in the order as long as it is not listed.
  const Block from = FallThroughSource(flow, parts, target);
  if (from != Block::kNone) return AfterLastOf(cases, from);
  const Block to = FallThroughTarget(flow, parts, target);
  return to == Block::kNone ? cases.end() : FirstOf(cases, to);
}

// Checks the edge to the target, direct or through the new block, if the switch does not have it
// yet.
CheckResult CheckEdge(const Module& module, const ControlFlow& flow, const Switch& parts,
                      Block target) {
  const auto before = flow.Predecessors(target);
  if (std::find(before.begin(), before.end(), parts.header) != before.end()) return Yes();
  if (const CheckResult v = MayAddEdges(module, parts.header); !v) return v;
  if (!PhisHaveNulls(module, target)) return No("the type of a phi has no null constant");
  if (EdgeBreaksDominance(module, parts.header, target)) {
    return No("a definition would no longer dominate one of its uses");
  }
  return Yes();
}

// True if the value already leads to the target.
bool IsDefaultTarget(const Switch& parts, Block target) {
  return target == parts.default_target;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.branch);
  const std::optional<Switch> parts = ParseSwitch(module, inst);
  if (!parts) return No("the OpSwitch does not exist");
  const ControlFlow& flow = module.Flow(module[parts->header].function);
  if (!flow.Reachable(parts->header)) return No("the block is unreachable");
  if (parts->cases.size() >= kMostCases) return No("the OpSwitch has too many cases");
  if (parts->width < 64 && message.value >> parts->width != 0) {
    return No("a literal has more bits than the selector");
  }
  for (const SwitchCase& each : parts->cases) {
    if (each.value == message.value) return No("the OpSwitch already has the literal");
  }
  const Block target = view.BlockStarting(message.target);
  if (target == Block::kNone || (target != parts->merge && !IsTarget(*parts, target))) {
    return No("the target is not the merge block or a target of the OpSwitch");
  }
  if (message.over_new_block && FallThroughSource(flow, *parts, target) != Block::kNone) {
    return No("another case falls through to the target case");
  }
  view.DependOn(inst, 0);
  for (uint32_t i = 1; i < module.OperandCount(inst); ++i) {
    if (module.IsId(inst, i) && module.IdAt(inst, i) == module.LabelId(target)) {
      view.DependOn(inst, i);
    }
  }
  if (!IsDefaultTarget(*parts, target) && !CannotEqual(view, module.IdAt(inst, 0), message.value)) {
    return No("the selector may equal the literal, so the new case may change the control flow");
  }
  return CheckEdge(module, flow, *parts, target);
}

// Gives the phis of `target`, for `block`, the inputs that they have for the header, if any.
void CopyPhiInputs(ContextEditor& editor, Block target, Block header, Block block) {
  const Module& module = editor.module();
  for (Inst phi : PhisOf(module, target)) {
    Id value = Id::kNone;
    for (uint32_t i = 0; i < module.OperandCount(phi); i += 2) {
      if (module.IdAt(phi, i + 1) == module.LabelId(header)) value = module.IdAt(phi, i);
    }
    if (value == Id::kNone) value = DeclareNull(editor, module.Type(phi));
    editor.AddPhiInput(phi, value, module.LabelId(block));
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.branch);
  Switch parts = *ParseSwitch(module, inst);
  const Block target = editor.view().BlockStarting(message.target);
  const ControlFlow& flow = module.Flow(module[parts.header].function);
  const auto place = PlaceOf(flow, parts, target, message.over_new_block) - parts.cases.begin();
  const auto before = flow.Predecessors(target);
  const bool is_new_edge = std::find(before.begin(), before.end(), parts.header) == before.end();
  Block to = target;
  if (message.over_new_block) {
    const bool is_dead = !IsDefaultTarget(parts, target);
    to = AddForwardingBlock(editor, parts.header, target, editor.Made(kLabel), editor.Made(kBranch),
                            parts.header);
    CopyPhiInputs(editor, target, parts.header, to);
    if (is_dead) editor.facts().SetDead(module.LabelId(to), editor.Provenance());
  } else if (is_new_edge) {
    AddNullPhiInputs(editor, target, parts.header);
  }
  parts.cases.insert(parts.cases.begin() + place, {message.value, to});
  editor.SetTerminator(parts.header, spv::Op::OpSwitch,
                       SwitchArgs(module, module.IdAt(inst, 0), parts));
}

// Picks a small value, a single bit, or the largest value.
uint64_t PickValue(Proposer& proposer, uint32_t width) {
  const uint64_t all = width < 64 ? (uint64_t{1} << width) - 1 : ~uint64_t{0};
  switch (proposer.Pick(3)) {
    case 0:
      return proposer.Pick(16);
    case 1:
      return uint64_t{1} << proposer.Pick(width);
    default:
      return all - proposer.Pick(4);
  }
}

void Propose(Proposer& proposer) {
  constexpr int kTries = 4;
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst inst = module.Terminator(block);
      if (module.Opcode(inst) != spv::Op::OpSwitch || !proposer.ShouldTry()) return;
      const std::optional<Switch> parts = ParseSwitch(module, inst);
      if (!parts) return;
      for (int i = 0; i < kTries; ++i) {
        std::vector<Block> targets{parts->default_target, parts->merge};
        for (const SwitchCase& each : parts->cases) targets.push_back(each.target);
        const Block target = targets[proposer.Pick(targets.size())];
        Message message{module.NameOf(inst), PickValue(proposer, parts->width),
                        module.NameOf(module.Label(target)), proposer.Pick(2) == 0};
        if (!Check(message, proposer.view())) continue;
        proposer.Offer(message);
        return;
      }
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80},
     .follow_ons = {"access", "add_dead_break", "add_dead_continue", "replace_switch_with_branch",
                    "add_dead_block", "add_dead_fall_through", "move_switch_case"}});

}  // namespace refract::add_switch_case
