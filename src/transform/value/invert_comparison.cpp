// SPDX-License-Identifier: Apache-2.0
// Replaces a comparison by the negation of the opposite comparison. The opposite comparison is
// inserted before; the old instruction becomes the negation and keeps its name and id, so its uses
// do not change.
#include "message/invert_comparison.h"

#include "ir/decorations.h"
#include "rules/context_editor.h"
#include "rules/rule.h"
#include "rules/uses.h"

namespace refract::invert_comparison {
namespace {

using Message = message::InvertComparison;
using spv::Op;
enum Role : uint64_t { kOpposite = 1 };

// Pairs of comparisons of which exactly one holds. Floats have no such pairs: for a NaN, neither
// "less" nor "greater or equal" holds. Unordered comparisons would be opposites, but they need not
// detect NaNs (SPIR-V 3.42.15; only float controls preserve NaNs).
constexpr Op kOpposites[][2] = {
    {Op::OpIEqual, Op::OpINotEqual},
    {Op::OpLogicalEqual, Op::OpLogicalNotEqual},
    {Op::OpULessThan, Op::OpUGreaterThanEqual},
    {Op::OpSLessThan, Op::OpSGreaterThanEqual},
    {Op::OpUGreaterThan, Op::OpULessThanEqual},
    {Op::OpSGreaterThan, Op::OpSLessThanEqual},
};

// OpNop if there is no opposite.
Op OppositeOf(Op opcode) {
  for (const auto& [one, other] : kOpposites) {
    if (opcode == one) return other;
    if (opcode == other) return one;
  }
  return Op::OpNop;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst comparison = view.Find(message.comparison);
  if (comparison == Inst::kNone) return No("the comparison does not exist");
  if (OppositeOf(module.Opcode(comparison)) == Op::OpNop) {
    return No("the instruction is not a comparison with an exact opposite");
  }
  if (!IsTouchable(module, module.Result(comparison))) {
    return No("a decoration on the comparison forbids the change");
  }
  DependOnForm(view, comparison);
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst comparison = module.Find(message.comparison);
  const Id value = module.Result(comparison);
  const Id opposite = editor.InsertValue(comparison, OppositeOf(module.Opcode(comparison)),
                                         module.Type(comparison), editor.Made(kOpposite),
                                         {module.IdAt(comparison, 0), module.IdAt(comparison, 1)});
  // The decorations describe the comparison, so they move to the opposite.
  editor.CopyValueDecorations(value, opposite);
  editor.RemoveDecorations(value);
  editor.SetOpcode(comparison, Op::OpLogicalNot);
  editor.SetOperands(comparison, {opposite});
  // Only the negation uses the opposite.
  if (const Steps* why = editor.facts().Irrelevant(value)) {
    editor.facts().SetIrrelevant(opposite, editor.Provenance(*why));
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (OppositeOf(module.Opcode(inst)) == Op::OpNop || !proposer.ShouldTry()) return;
        const Message message{module.NameOf(inst)};
        if (Check(message, proposer.view())) proposer.Offer(message);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60},
     .follow_ons = {"swap_conditional_branch_operands", "propagate_instruction_down"}});

}  // namespace refract::invert_comparison
