// SPDX-License-Identifier: Apache-2.0
// Swaps the first two operands of a commutative operation.
#include "message/swap_commutable_operands.h"

#include "ir/grammar/operand_rules.h"
#include "rules/context_editor.h"
#include "rules/offer.h"
#include "rules/rule.h"
#include "rules/uses.h"

namespace refract::swap_commutable_operands {
namespace {

using Message = message::SwapCommutableOperands;

// The index of the first of the two operands: for an extended instruction, the one after the set
// and the number.
uint32_t FirstOperand(const Module& module, Inst inst) {
  return module.Opcode(inst) == spv::Op::OpExtInst ? 2 : 0;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.instruction);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  if (!module.IsBasicBlock(module.BlockOf(inst))) return No("the instruction is not in a block");
  if (!PropertiesOf(module, inst).commutes) return No("the operation is not commutative");
  const uint32_t first = FirstOperand(module, inst);
  if (module.IdAt(inst, first) == module.IdAt(inst, first + 1)) {
    return No("the two operands are the same");
  }
  DependOnForm(view, inst);
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.instruction);
  const uint32_t first = FirstOperand(module, inst);
  Args args;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    args.push_back(module.IsId(inst, i) ? Arg(module.IdAt(inst, i)) : Arg(module.Word(inst, i)));
  }
  std::swap(args[first], args[first + 1]);
  editor.SetOperands(inst, args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (!PropertiesOf(module, inst).commutes || !proposer.ShouldTry()) return;
        if (ShouldSkip(proposer, inst)) return;
        proposer.Offer(Message{module.NameOf(inst)});
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule =
    MakeRule<Message, Check, Apply, Propose>({.chance = {20, 80}, .follow_ons = {}});

}  // namespace refract::swap_commutable_operands
