// SPDX-License-Identifier: Apache-2.0
// Computes a vote from other subgroup operations: a condition holds in any invocation if its ballot
// has a bit, and a value is the same in all invocations if it equals the first one in all. Only in
// compute shaders, because in others it is not known whether helper invocations take part in each
// of these operations.
#include "message/expand_subgroup_vote.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/build/formula.h"
#include "rules/legality/convergence.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::expand_subgroup_vote {
namespace {

using Message = message::ExpandSubgroupVote;
using spv::Op;
enum Role : uint64_t { kExchanged = 1, kCompared = 2 };

bool IsVote(Op opcode) {
  return opcode == Op::OpGroupNonUniformAny || opcode == Op::OpGroupNonUniformAllEqual;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (!IsVote(module.Opcode(inst))) {
    return No("the operation is not OpGroupNonUniformAny or OpGroupNonUniformAllEqual");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  // Both uses of the value could have another precision (SPIR-V 3.20, RelaxedPrecision).
  if (FindDecoration(module, module.IdAt(inst, 1), spv::Decoration::RelaxedPrecision) !=
      Inst::kNone) {
    return No("the value has RelaxedPrecision");
  }
  const Id type = module.TypeOf(module.IdAt(inst, 1));
  if (!IsBool(module, type) && !IsInt(module, type)) {
    return No("the value is not one boolean or int");
  }
  if (!HasCapability(module, spv::Capability::GroupNonUniformBallot)) {
    return No("the module does not declare the required capability");
  }
  if (StagesReaching(module, module.FunctionOf(inst)) != Stages::kCompute) {
    return No("a shader of another stage can reach the function");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.operation);
  const Id scope = module.IdAt(inst, 0), value = module.IdAt(inst, 1);
  Builder builder(editor, inst, module.Result(inst));
  editor.RemoveDecorations(module.Result(inst));
  if (module.Opcode(inst) == Op::OpGroupNonUniformAny) {
    const message::Type words = VectorType(IntType(32, false), 4);
    const Id ballot = builder.Compute(Op::OpGroupNonUniformBallot, Declare(editor, words),
                                      editor.Made(kExchanged), {scope, value});
    const Id zero = Declare(editor, SplatConstant(words, 0));
    const Id bits = Declare(editor, VectorType(BoolType(), 4));
    const Id set = builder.Compute(Op::OpINotEqual, bits, editor.Made(kCompared), {ballot, zero});
    editor.SetOpcode(inst, Op::OpAny);
    editor.SetOperands(inst, {set});
    return;
  }
  const Id type = module.TypeOf(value);
  const Id first = builder.Compute(Op::OpGroupNonUniformBroadcastFirst, type,
                                   editor.Made(kExchanged), {scope, value});
  const Id same = builder.Compute(IsBool(module, type) ? Op::OpLogicalEqual : Op::OpIEqual,
                                  module.Type(inst), editor.Made(kCompared), {value, first});
  editor.SetOpcode(inst, Op::OpGroupNonUniformAll);
  editor.SetOperands(inst, {scope, same});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return IsVote(module.Opcode(inst)); };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"expand_vector_reduction"}});

}  // namespace refract::expand_subgroup_vote
