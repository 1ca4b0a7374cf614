// SPDX-License-Identifier: Apache-2.0
// Replaces the input of a phi for an edge from a dead block.
#include "message/replace_phi_operand_from_dead_predecessor.h"

#include "ir/availability.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::replace_phi_operand_from_dead_predecessor {
namespace {

using Message = message::ReplacePhiOperandFromDeadPredecessor;

// The index of the phi's input for `from`; the operand count if not found.
uint32_t InputFrom(const Module& module, Inst phi, Block from) {
  uint32_t i = 0;
  while (i < module.OperandCount(phi) && module.IdAt(phi, i + 1) != module.LabelId(from)) i += 2;
  return i;
}

CheckResult CheckValue(const View& view, Inst phi, uint32_t input, Name name) {
  const Module& module = view.module();
  const Id type = module.Type(phi), current = module.IdAt(phi, input);
  if (!name) return Yes();
  const Id value = view.Value(name);
  if (value == Id::kNone) return No("the value does not exist");
  if (value == current) return No("the phi operand is already the new value");
  if (module.TypeOf(value) != type) return No("the value does not have the phi's type");
  if (!IsAvailableAtUse(module, value, phi, input)) {
    return No("the value is not available at the end of a predecessor");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst phi = view.Find(message.input.phi);
  if (phi == Inst::kNone || module.Opcode(phi) != spv::Op::OpPhi) {
    return No("the phi does not exist");
  }
  const Block from = view.BlockEnding(message.input.edge_from);
  if (from == Block::kNone) return No("the branch does not exist");
  const uint32_t input = InputFrom(module, phi, from);
  if (input == module.OperandCount(phi)) return No("the phi has no operand for this predecessor");
  // Whether a phi may have a pointer as input depends on more than its type.
  if (!IsOrdinary(module, module.Type(phi))) return No("the type of the phi is not supported");
  if (const CheckResult v = CheckValue(view, phi, input, message.value); !v) return v;
  if (!view.IsDead(from)) return No("the predecessor is not known to be dead");
  view.DependOn(phi, input + 1);
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst phi = module.Find(message.input.phi);
  const uint32_t input = InputFrom(module, phi, editor.view().BlockEnding(message.input.edge_from));
  const Id value =
      message.value ? module.FindId(message.value) : DeclareNull(editor, module.Type(phi));
  editor.SetOperand(phi, input, value);
}

void Offer(Proposer& proposer, Inst phi, uint32_t input) {
  const Module& module = proposer.module();
  const Inst end = module.Terminator(module.BlockOfLabel(module.IdAt(phi, input + 1)));
  std::vector<Id> near = ValuesNear(module, end, 32);
  std::erase_if(near,
                [&](Id id) { return !CheckValue(proposer.view(), phi, input, module.NameOf(id)); });
  Message message{{module.NameOf(phi), module.NameOf(end)}, {}};
  const size_t picked = proposer.Pick(near.size() + 1);
  if (picked < near.size()) {
    message.value = module.NameOf(near[picked]);
  } else if (module.OpcodeOf(module.IdAt(phi, input)) == spv::Op::OpConstantNull) {
    return;
  }
  if (Check(message, proposer.view())) proposer.Offer(message);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const Facts& facts = proposer.view().facts();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (module.Opcode(inst) != spv::Op::OpPhi) return;
        for (uint32_t i = 0; i < module.OperandCount(inst); i += 2) {
          if (facts.Dead(module.IdAt(inst, i + 1)) != nullptr && proposer.ShouldTry()) {
            Offer(proposer, inst, i);
          }
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {60, 100}, .follow_ons = {"replace_operand_with_undef"}});

}  // namespace refract::replace_phi_operand_from_dead_predecessor
