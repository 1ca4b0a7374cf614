// SPDX-License-Identifier: Apache-2.0
// Replaces an atomic addition by a subtraction of the negated value, a subtraction by an addition,
// and an increment or decrement by an addition or subtraction of one. Ints wrap, so memory and the
// result are the same.
#include "message/replace_atomic_arithmetic.h"

#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::replace_atomic_arithmetic {
namespace {

using Message = message::ReplaceAtomicArithmetic;
using spv::Op;
enum Role : uint64_t { kNegated = 1 };

// OpNop if not found.
Op OtherOf(Op opcode) {
  switch (opcode) {
    case Op::OpAtomicIIncrement:
    case Op::OpAtomicISub:
      return Op::OpAtomicIAdd;
    case Op::OpAtomicIDecrement:
    case Op::OpAtomicIAdd:
      return Op::OpAtomicISub;
    default:
      return Op::OpNop;
  }
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.atomic);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (OtherOf(module.Opcode(inst)) == Op::OpNop) {
    return No("the operation is not an atomic addition or subtraction of ints");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.atomic);
  const Id type = module.Type(inst);
  Args args;
  for (uint32_t i = 0; i < 3; ++i) args.push_back(module.IdAt(inst, i));
  if (module.OperandCount(inst) == 3) {
    args.push_back(Declare(editor, ScalarConstant(module, type, 1)));
  } else {
    // Without a goal: the value reaches memory, even if nothing depends on the result.
    args.push_back(
        Builder(editor, inst)
            .Compute(Op::OpSNegate, type, editor.Made(kNegated), {module.IdAt(inst, 3)}));
  }
  editor.SetOpcode(inst, OtherOf(module.Opcode(inst)));
  editor.SetOperands(inst, args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return OtherOf(module.Opcode(inst)) != Op::OpNop; };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"add_arithmetic_synonym"}});

}  // namespace refract::replace_atomic_arithmetic
