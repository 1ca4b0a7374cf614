// SPDX-License-Identifier: Apache-2.0
// Expands OpAny and OpAll into a chain of logical operations on the components. The old
// instruction, under its name, becomes the last of these.
#include "message/expand_vector_reduction.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::expand_vector_reduction {
namespace {

using Message = message::ExpandVectorReduction;
using spv::Op;
enum Role : uint64_t { kComponent = 1, kJoined = 2 };

bool IsReduction(Op opcode) {
  return opcode == Op::OpAny || opcode == Op::OpAll;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.reduction);
  if (inst == Inst::kNone) return No("the OpAny or OpAll does not exist");
  if (!IsReduction(module.Opcode(inst))) return No("the instruction is not OpAny or OpAll");
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  DependOnForm(view, inst);
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.reduction);
  const Op join = module.Opcode(inst) == Op::OpAny ? Op::OpLogicalOr : Op::OpLogicalAnd;
  const Id vector = module.IdAt(inst, 0);
  Builder builder(editor, inst, module.Result(inst));
  std::vector<Id> parts;
  const uint32_t count = PartCount(module, module.TypeOf(vector)).value();
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t component = message.from_last ? count - 1 - i : i;
    parts.push_back(
        builder.Extract(*Part(vector).Component(component), editor.Made(kComponent, component)));
  }
  Id joined = parts[0];
  for (uint32_t i = 1; i + 1 < count; ++i) {
    joined = builder.Compute(join, module.Type(inst), editor.Made(kJoined, i), {joined, parts[i]});
    editor.CopyValueDecorations(module.Result(inst), joined);
  }
  editor.SetOpcode(inst, join);
  editor.SetOperands(inst, {joined, parts[count - 1]});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return IsReduction(module.Opcode(inst)); };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{module.NameOf(inst), proposer.Pick(2) == 0};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {80, 100}, .follow_ons = {"swap_commutable_operands", "replace_id_with_synonym"}});

}  // namespace refract::expand_vector_reduction
