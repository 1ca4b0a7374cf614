// SPDX-License-Identifier: Apache-2.0
// Replaces an operation on scalars by one on vectors. The old instruction, under its name, extracts
// the wanted component.
#include "message/widen_operation.h"

#include "ir/availability.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "transform/value/componentwise.h"

namespace refract::widen_operation {
namespace {

using Message = message::WidenOperation;
using spv::Op;
enum Role : uint64_t { kWide = 1, kOperand = 2 };

// The operands that become vectors, in order.
std::vector<uint32_t> LaneOperands(const Module& module, Inst inst) {
  std::vector<uint32_t> operands;
  for (uint32_t i = FirstComponentOperand(module, inst); i < module.OperandCount(inst); ++i) {
    if (!IsSharedByComponents(module, inst, i)) operands.push_back(i);
  }
  return operands;
}

// True if the other components may be computed from any values.
bool MayBeOthers(const Module& module, Inst inst) {
  const Properties& properties = PropertiesOf(module, inst);
  return !properties.behaviour_may_be_undefined && !properties.value_may_be_undefined;
}

CheckResult CheckOthers(const Message& message, const View& view, Inst inst) {
  const Module& module = view.module();
  if (message.others.empty()) return Yes();
  const std::vector<uint32_t> operands = LaneOperands(module, inst);
  if (message.others.size() != operands.size()) {
    return No(
        "the number of values for the other components does not match the number of operands");
  }
  if (!MayBeOthers(module, inst)) {
    return No("the operation may be undefined for the operands of the other components");
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const Id other = view.Value(message.others[i]);
    if (other == Id::kNone) return No("an operand of the other components does not exist");
    if (module.TypeOf(other) != module.TypeOf(module.IdAt(inst, operands[i]))) {
      return No("an operand of the other components has a different type");
    }
    if (!IsAvailable(module, other, inst)) {
      return No("an operand of the other components is not available at the operation");
    }
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (CheckResult may = MayChangeComponentCount(view, inst); !may) return may;
  if (IsVector(module, module.Type(inst))) {
    return No("the result of the operation must be a scalar");
  }
  if (message.size < 2 || message.size > 4) return No("the size of a vector must be 2 to 4");
  if (message.lane >= message.size) return No("the component index is out of range");
  return CheckOthers(message, view, inst);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.operation);
  const Id result = module.Result(inst);
  Builder builder(editor, inst, result);
  const auto wide = [&](Id type) {
    return Declare(editor, VectorType(Describe(module, type), message.size));
  };
  Args args;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    args.push_back(module.IsId(inst, i) ? Arg(module.IdAt(inst, i)) : Arg(module.Word(inst, i)));
  }
  size_t next = 0;
  for (uint32_t i : LaneOperands(module, inst)) {
    const Id operand = module.IdAt(inst, i);
    const Id other = message.others.empty() ? operand : module.FindId(message.others[next++]);
    std::vector<Id> components(message.size, other);
    components[message.lane] = operand;
    args[i] = builder.Construct(wide(module.TypeOf(operand)), editor.Made(kOperand, i), components);
  }
  const Id made =
      builder.Compute(module.Opcode(inst), wide(module.Type(inst)), editor.Made(kWide), args);
  editor.CopyValueDecorations(result, made);
  editor.RemoveDecorations(result);
  editor.SetOpcode(inst, Op::OpCompositeExtract);
  editor.SetOperands(inst, {made, message.lane});
  if (MayHaveSynonym(editor.view(), result)) {
    editor.facts().AddSynonym(*Part(made).Component(message.lane), Part(result),
                              editor.Provenance());
  }
}

// Picks another value of the same type for each operand; none where there is none.
std::vector<Name> PickOthers(Proposer& proposer, Inst inst) {
  const Module& module = proposer.module();
  std::vector<Name> others;
  const std::vector<Id> near = ValuesNear(module, inst, 48);
  for (uint32_t i : LaneOperands(module, inst)) {
    std::vector<Id> fitting;
    for (Id id : near) {
      if (module.TypeOf(id) == module.TypeOf(module.IdAt(inst, i))) fitting.push_back(id);
    }
    if (fitting.empty()) return {};
    others.push_back(module.NameOf(fitting[proposer.Pick(fitting.size())]));
  }
  return others;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) {
    return module.Type(inst) != Id::kNone && !IsVector(module, module.Type(inst)) &&
           IsComponentwise(module, inst);
  };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    Message message{module.NameOf(inst),
                    static_cast<uint32_t>(2 + proposer.Pick(3)),
                    0,
                    {},
                    static_cast<uint32_t>(module.Opcode(inst))};
    message.lane = static_cast<uint32_t>(proposer.Pick(message.size));
    if (!Check(message, proposer.view())) return;
    if (MayBeOthers(module, inst)) message.others = PickOthers(proposer, inst);
    proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {3, 25},
     .follow_ons = {"replace_id_with_synonym", "make_vector_access_dynamic",
                    "swap_commutable_operands", "add_no_contraction", "undefine_component"}});

}  // namespace refract::widen_operation
