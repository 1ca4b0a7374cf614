// SPDX-License-Identifier: Apache-2.0
// Turns the literal index of a vector access into an operand. It is a constant at first; other
// steps can make it unknown to compilers.
#include "message/make_vector_access_dynamic.h"

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::make_vector_access_dynamic {
namespace {

using Message = message::MakeVectorAccessDynamic;
using spv::Op;

// Which operand is the literal index of an access to a component; 0 for other instructions.
uint32_t IndexOperand(const Module& module, Inst inst) {
  const Op opcode = module.Opcode(inst);
  if (opcode != Op::OpCompositeExtract && opcode != Op::OpCompositeInsert) return 0;
  const uint32_t index = opcode == Op::OpCompositeExtract ? 1 : 2;
  const Id type = module.TypeOf(module.IdAt(inst, index - 1));
  return module.OperandCount(inst) == index + 1 && IsVector(module, type) ? index : 0;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.access);
  if (inst == Inst::kNone) return No("the load or store does not exist");
  if (IndexOperand(module, inst) == 0) {
    return No("the instruction does not load or store a single component of a vector");
  }
  if (!IsDeclarableHere(module, IntType(32, message.is_signed))) {
    return No("the index type cannot be declared in this module");
  }
  DependOnForm(view, inst);
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.access);
  const uint32_t at = IndexOperand(module, inst);
  const Id index =
      Declare(editor, ScalarConstant(IntType(32, message.is_signed), module.Word(inst, at)));
  if (at == 1) {
    editor.SetOpcode(inst, Op::OpVectorExtractDynamic);
    editor.SetOperands(inst, {module.IdAt(inst, 0), index});
  } else {
    // The two instructions have their operands in different orders (SPIR-V 3.42.12).
    editor.SetOpcode(inst, Op::OpVectorInsertDynamic);
    editor.SetOperands(inst, {module.IdAt(inst, 1), module.IdAt(inst, 0), index});
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return IndexOperand(module, inst) != 0; };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{module.NameOf(inst), proposer.Pick(2) == 0};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60},
     .follow_ons = {"replace_constant_with_uniform", "replace_constant_with_arithmetic",
                    "replace_id_with_synonym"}});

}  // namespace refract::make_vector_access_dynamic
