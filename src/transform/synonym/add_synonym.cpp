// SPDX-License-Identifier: Apache-2.0
// Computes a second value that equals a value: a copy, or an exact identity.
#include "message/add_synonym.h"

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/defined.h"
#include "rules/legality/divergence_mix.h"
#include "rules/legality/live_range.h"
#include "rules/offer.h"
#include "rules/values.h"
#include "transform/synonym/identities.h"

namespace refract::add_synonym {
namespace {

using Message = message::AddSynonym;
using Identity = Message::Identity;
using Domain = IdentityDomain;
using Other = OtherValue;
using Op = spv::Op;
enum Role : uint64_t { kResult = 1, kInner = 2 };

constexpr uint32_t kVersion14 = 0x00010400;

bool IsSelect(const IdentityRow& row) {
  return row.steps[0].op == Op::OpSelect;
}

FormulaInputs SettingFor(const Module& module, Identity identity, Id value, Id other) {
  FormulaInputs setting;
  setting.values[0] = value;
  setting.values[1] = other;
  setting.result = module.TypeOf(value);
  setting.of_x = Describe(module, setting.result);
  setting.wide = IntermediateType(module, identity, setting.of_x);
  return setting;
}

// The row for the value; nullptr if the identity does not support it.
const IdentityRow* RowFor(const View& view, Identity identity, Id value) {
  for (const IdentityRow& row : IdentityRows()) {
    if (row.identity == identity && IsInDomain(view, row.domain, value)) return &row;
  }
  return nullptr;
}

Other OtherOf(Identity identity) {
  for (const IdentityRow& row : IdentityRows()) {
    if (row.identity == identity) return row.other;
  }
  return Other::kNone;
}

// OpSelect takes one bool; for vectors, before version 1.4 it takes one bool for each component,
// and later either.
bool MayChoose(const Module& module, Id condition, Id value) {
  const Id of_condition = module.TypeOf(condition), of_value = module.TypeOf(value);
  const Id scalar = ScalarType(module, of_condition);
  if (scalar == Id::kNone || !IsBool(module, scalar)) return false;
  if (IsVector(module, of_condition)) {
    return IsVector(module, of_value) &&
           PartCount(module, of_condition) == PartCount(module, of_value);
  }
  return module.version() >= kVersion14 || !IsVector(module, of_value);
}

CheckResult CheckOther(const View& view, Other kind, Id value, Id other, Inst before) {
  const Module& module = view.module();
  if (other == Id::kNone) return No("the second value of the identity does not exist");
  if (!IsAvailable(module, other, before)) {
    return No("the second value of the identity is not available at the insertion point");
  }
  const bool fits = kind == Other::kCondition ? MayChoose(module, other, value)
                                              : module.TypeOf(other) == module.TypeOf(value);
  if (!fits) return No("the second value of the identity has a different type");
  if (!IsSurelyDefined(view, other)) return No("the second value of the identity may be undefined");
  if (kind == Other::kLeftOut) return Yes();
  if (!IsSurelyExact(view, other)) return No("the second value of the identity may be approximate");
  // An irrelevant value might get another value in one of its two uses.
  if (kind == Other::kMixedIn && view.facts().Irrelevant(other) != nullptr) {
    return No("the second value of the identity is marked as irrelevant");
  }
  return Yes();
}

CheckResult CheckType(const Message& message, const View& view, Id value, Id other) {
  const Module& module = view.module();
  const IdentityRow* row = RowFor(view, message.identity, value);
  if (row == nullptr) return No("the identity does not support the value");
  if (row->domain != Domain::kAny &&
      FindDecoration(module, value, spv::Decoration::RelaxedPrecision) != Inst::kNone) {
    return No("the value has RelaxedPrecision");
  }
  if (IsSelect(*row) && module.version() < kVersion14 &&
      ScalarType(module, module.TypeOf(value)) == Id::kNone) {
    return No("before SPIR-V 1.4 OpSelect supports only scalars and vectors");
  }
  const FormulaInputs setting = SettingFor(module, message.identity, value, other);
  if (!IsFormulaPossible(module, row->steps, setting)) {
    return No(
        "a type or constant cannot be declared in this module, or GLSL.std.450 is not imported");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (static_cast<uint32_t>(message.identity) > static_cast<uint32_t>(Identity::kSelectEither)) {
    return No("the identity is unknown");
  }
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, Op::OpCopyObject, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value does not exist");
  if (CheckResult may = MayHaveSynonym(view, value); !may) return may;
  if (!IsAvailable(module, value, before)) {
    return No("the value is not available at the insertion point");
  }
  const Other kind = OtherOf(message.identity);
  if (kind == Other::kNone && message.other) return No("the identity does not have a second value");
  const Id other = kind == Other::kNone ? Id::kNone : view.Value(message.other);
  if (kind != Other::kNone) {
    if (CheckResult v = CheckOther(view, kind, value, other, before); !v) return v;
  }
  return CheckType(message, view, value, other);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Id value = module.FindId(message.value);
  const IdentityRow* row = RowFor(editor.view(), message.identity, value);
  const FormulaInputs setting =
      SettingFor(module, message.identity, value, module.FindId(message.other));
  const Id result = EmitFormula(editor, module.Find(message.before), row->steps, setting,
                                editor.Made(kResult), kInner);
  editor.facts().AddSynonym(Part(result), Part(value), editor.Provenance());
}

// A value for the identity's other operand; nothing if not found.
Name PickOther(Proposer& proposer, DivergenceMix& mix, Other kind, Id value,
               const std::vector<Id>& others) {
  const Module& module = proposer.module();
  if (kind == Other::kNone) return {};
  std::vector<Id> fitting;
  for (Id id : others) {
    const bool fits = kind == Other::kCondition ? MayChoose(module, id, value)
                                                : module.TypeOf(id) == module.TypeOf(value);
    if (fits && id != value) fitting.push_back(id);
  }
  return fitting.empty() ? Name{} : module.NameOf(mix.Pick(proposer, fitting));
}

void Offer(Proposer& proposer, DivergenceMix& mix, Inst before) {
  const Module& module = proposer.module();
  const std::vector<Id> near = ValuesNear(module, before, 32);
  if (near.empty()) return;
  const Id value = near[proposer.Pick(near.size())];
  const std::vector<Id> others = NearOrFar(proposer, before, near);
  std::vector<Identity> fitting;
  for (const IdentityRow& row : IdentityRows()) {
    if (IsInDomain(proposer.view(), row.domain, value)) fitting.push_back(row.identity);
  }
  // Several tries, because not every identity finds what it needs here.
  for (int tries = 0; tries < 4 && !fitting.empty(); ++tries) {
    const Identity identity = fitting[proposer.Pick(fitting.size())];
    const Message message{module.NameOf(before), module.NameOf(value), identity,
                          PickOther(proposer, mix, OtherOf(identity), value, others)};
    if (!Check(message, proposer.view())) continue;
    proposer.Offer(message);
    return;
  }
}

void Propose(Proposer& proposer) {
  DivergenceMix mix;
  OfferAtInsertionPoints(proposer, Op::OpCopyObject,
                         [&](Inst before) { Offer(proposer, mix, before); });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 14},
     .follow_ons = {"replace_id_with_synonym", "push_id_through_variable", "composite_construct",
                    "add_phi_synonym", "replace_copy_object_with_store_load",
                    "replace_constant_with_opaque_value", "replace_arithmetic_with_extended",
                    "replace_irrelevant_id"}});

}  // namespace refract::add_synonym
