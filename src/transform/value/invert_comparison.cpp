// SPDX-License-Identifier: Apache-2.0
// The opposite comparison is put before, and the old instruction becomes its negation: under its
// own name and id, so that nothing that uses or names it changes.
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

// Comparisons that hold in just those cases in which the other does not. Of floats there are none
// here: with a NaN neither a < b nor a >= b holds, and the unordered ones, that would do, are not
// promised to see it (SPIR-V 3.42.15; NaNs are kept by float controls alone).
constexpr Op kOpposites[][2] = {
    {Op::OpIEqual, Op::OpINotEqual},
    {Op::OpLogicalEqual, Op::OpLogicalNotEqual},
    {Op::OpULessThan, Op::OpUGreaterThanEqual},
    {Op::OpSLessThan, Op::OpSGreaterThanEqual},
    {Op::OpUGreaterThan, Op::OpULessThanEqual},
    {Op::OpSGreaterThan, Op::OpSLessThanEqual},
};

// OpNop if there is none.
Op OppositeOf(Op opcode) {
  for (const auto& [one, other] : kOpposites) {
    if (opcode == one) return other;
    if (opcode == other) return one;
  }
  return Op::OpNop;
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst comparison = view.Find(message.comparison);
  if (comparison == Inst::kNone) return No("the comparison does not exist");
  if (OppositeOf(module.Opcode(comparison)) == Op::OpNop) {
    return No("the instruction is not a comparison with an exact opposite");
  }
  if (!IsTouchable(module, module.Result(comparison))) {
    return No("a decoration on the comparison forbids the change");
  }
  CountOnForm(view, comparison);
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst comparison = module.Find(message.comparison);
  const Id value = module.Result(comparison);
  const Id opposite = editor.InsertValue(comparison, OppositeOf(module.Opcode(comparison)),
                                         module.Type(comparison), editor.Made(kOpposite),
                                         {module.IdAt(comparison, 0), module.IdAt(comparison, 1)});
  // What they say, they say of the operation that compares.
  editor.CopyValueDecorations(value, opposite);
  editor.RemoveDecorations(value);
  editor.SetOpcode(comparison, Op::OpLogicalNot);
  editor.SetOperands(comparison, {opposite});
  // Nothing else depends on the opposite.
  if (const Steps* why = editor.facts().Irrelevant(value)) {
    editor.facts().SetIrrelevant(opposite, editor.Because(*why));
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (OppositeOf(module.Opcode(inst)) == Op::OpNop || !proposer.Toss()) return;
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
