// SPDX-License-Identifier: Apache-2.0
// Adds a boolean that differs between invocations. Later steps branch or select on it where the
// outcome does not matter, so that compilers see divergent control flow.
#include "message/add_lane_condition.h"

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/memory.h"
#include "rules/offer.h"
#include "rules/values.h"
#include "transform/constant/opaque_forms.h"

namespace refract::add_lane_condition {
namespace {

using Message = message::AddLaneCondition;
using Op = spv::Op;
enum Role : uint64_t { kResult = 1, kInner = 2, kSource = 3 };

constexpr uint32_t kWidth = 32;

// (x & bit) != 0
const OpaqueForm kForm = {
    {},
    OpaqueForm::kInt,
    OpaqueForm::kOne,
    true,
    {{Op::OpBitwiseAnd, {Term::kX, Term::kA}, FormulaType::kOfX},
     {Op::OpINotEqual, {Term::kT0, Term::kZero}, FormulaType::kBool}},
};

FormulaInputs SettingFor(const OpaqueSource& source, Id value, uint32_t bit, Id boolean) {
  FormulaInputs setting;
  setting.values[0] = value;
  setting.result = boolean;
  setting.of_x = source.type;
  setting.numbers[0] = uint64_t{1} << bit;
  return setting;
}

CheckResult CheckSource(const Message& message, const View& view, Id value, Inst before) {
  const Module& module = view.module();
  const Id boolean = FindType(module, BoolType());
  if (boolean == Id::kNone) return No("the module does not declare OpTypeBool");
  const auto source = FindOpaqueSource(module, kForm, value, message.component, boolean);
  if (!source || ScalarOf(source->type).width != kWidth ||
      (source->bitcasts && !IsDeclarableHere(module, source->type)) ||
      !IsFormulaPossible(module, kForm.steps, SettingFor(*source, value, message.bit, boolean))) {
    return No("the value cannot be read as a 32-bit integer");
  }
  if (!source->loads && view.facts().Irrelevant(value) != nullptr) {
    return No("the value is marked as irrelevant");
  }
  return CheckOpaqueSource(view, kForm, *source, value, before);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, Op::OpINotEqual, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value does not exist");
  if (message.bit >= kWidth) return No("the bit number is out of range");
  return CheckSource(message, view, value, before);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst before = module.Find(message.before);
  const Id named = module.FindId(message.value), boolean = FindType(module, BoolType());
  const OpaqueSource source =
      FindOpaqueSource(module, kForm, named, message.component, boolean).value();
  const Id value = MakeOpaqueSource(editor, source, named, message.component, before, kSource);
  EmitFormula(editor, before, kForm.steps, SettingFor(source, value, message.bit, boolean),
              editor.Made(kResult), kInner);
}

// Picks a low bit of an int. For a float, picks one of the mantissa bits that vary in pixel
// coordinates.
uint32_t PickBit(Proposer& proposer, const OpaqueSource& source) {
  constexpr size_t kLow = 4, kHighest = 22;
  const auto picked = static_cast<uint32_t>(proposer.Pick(kLow));
  return source.bitcasts ? static_cast<uint32_t>(kHighest) - picked : picked;
}

// Input variables, whose values differ between invocations.
std::vector<Id> Inputs(const Module& module) {
  std::vector<Id> inputs;
  ForEachGlobalVariable(module, [&](Inst inst) {
    const Id variable = module.Result(inst);
    if (StorageClassOf(module, module.Type(inst)) == spv::StorageClass::Input &&
        ScalarType(module, PointeeOf(module, variable)) != Id::kNone) {
      inputs.push_back(variable);
    }
  });
  return inputs;
}

void Offer(Proposer& proposer, const std::vector<Id>& inputs, Id boolean, Inst before) {
  const Module& module = proposer.module();
  const std::vector<Id> near = ValuesNear(module, before, 32);
  // Several tries, because not every value is suitable.
  for (int tries = 0; tries < 4; ++tries) {
    const std::vector<Id>& from = near.empty() || proposer.Pick(2) == 0 ? inputs : near;
    const Id value = from.empty() ? Id::kNone : from[proposer.Pick(from.size())];
    if (value == Id::kNone || IsConstant(module.OpcodeOf(value))) continue;
    const auto component = static_cast<uint32_t>(proposer.Pick(2));
    for (uint32_t taken : {component, 0u}) {
      const auto source = FindOpaqueSource(module, kForm, value, taken, boolean);
      if (!source) continue;
      const Message message{module.NameOf(before), module.NameOf(value), taken,
                            PickBit(proposer, *source)};
      if (!Check(message, proposer.view())) continue;
      proposer.Offer(message);
      return;
    }
  }
}

void Propose(Proposer& proposer) {
  const Id boolean = FindType(proposer.module(), BoolType());
  if (boolean == Id::kNone) return;
  const std::vector<Id> inputs = Inputs(proposer.module());
  OfferAtInsertionPoints(proposer, Op::OpINotEqual,
                         [&](Inst before) { Offer(proposer, inputs, boolean, before); });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {1, 4},
     .follow_ons = {"duplicate_region_with_selection", "add_synonym", "push_id_through_variable",
                    "add_arithmetic_synonym"}});

}  // namespace refract::add_lane_condition
