// SPDX-License-Identifier: Apache-2.0
// Moves one input of a phi to the front.
#include "message/permute_phi_operands.h"

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::permute_phi_operands {
namespace {

using Message = message::PermutePhiOperands;

// The index of the phi's input for `from`; the operand count if not found. Each predecessor
// occurs once in a phi (SPIR-V 3.42.17).
uint32_t InputFrom(const Module& module, Inst phi, Block from) {
  uint32_t i = 0;
  while (i < module.OperandCount(phi) && module.IdAt(phi, i + 1) != module.LabelId(from)) i += 2;
  return i;
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
  view.DependOn(phi, input + 1);
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst phi = module.Find(message.input.phi);
  const uint32_t input = InputFrom(module, phi, editor.view().BlockEnding(message.input.edge_from));
  Args args{module.IdAt(phi, input), module.IdAt(phi, input + 1)};
  for (uint32_t i = 0; i < module.OperandCount(phi); ++i) {
    if (i / 2 != input / 2) args.push_back(module.IdAt(phi, i));
  }
  editor.SetOperands(phi, args);
}

void ProposeFor(Proposer& proposer, Inst phi) {
  const Module& module = proposer.module();
  const uint32_t inputs = module.OperandCount(phi) / 2;
  if (inputs < 2 || !proposer.ShouldTry()) return;
  const uint32_t input = 1 + static_cast<uint32_t>(proposer.Pick(inputs - 1));
  const Block from = module.BlockOfLabel(module.IdAt(phi, 2 * input + 1));
  proposer.Offer(Message{{module.NameOf(phi), module.NameOf(module.Terminator(from))}});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      for (Inst inst = module.Next(module.Label(block)); inst != Inst::kNone;
           inst = module.Next(inst)) {
        const spv::Op opcode = module.Opcode(inst);
        if (opcode == spv::Op::OpPhi) {
          ProposeFor(proposer, inst);
        } else if (opcode != spv::Op::OpLine && opcode != spv::Op::OpNoLine) {
          break;
        }
      }
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {30, 90}});

}  // namespace refract::permute_phi_operands
