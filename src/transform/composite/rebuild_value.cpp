// SPDX-License-Identifier: Apache-2.0
// Takes a value apart and rebuilds it as a chain of inserts, a shuffle of the value with itself, or
// a widened vector. Optimiser passes that combine composites must recognise these forms.
#include "message/rebuild_value.h"

#include <numeric>

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::rebuild_value {
namespace {

using Message = message::RebuildValue;
using Form = Message::Form;
enum Role : uint64_t { kResult = 1, kPart = 2, kUndefined = 3, kInserted = 4, kWider = 5 };

constexpr uint32_t kMostParts = 16;
constexpr uint32_t kLargestVector = 4;

bool Fits(const Module& module, Form form, Id type) {
  const uint32_t parts = PartCount(module, type).value_or(0);
  const bool is_scalar = ScalarType(module, type) == type;
  switch (form) {
    case Form::kConstruct:
    case Form::kInsertAll:
      return parts != 0 && parts <= kMostParts;
    case Form::kInsertOne:
      return parts != 0;
    case Form::kShuffle:
      // Longer vectors than four exist only in kernels.
      return IsVector(module, type);
    case Form::kWiden:
      return is_scalar || (IsVector(module, type) && parts < kLargestVector);
    default:
      return false;
  }
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpCompositeConstruct, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value does not exist");
  if (CheckResult may = MayHaveSynonym(view, value); !may) return may;
  if (!IsAvailable(module, value, before)) {
    return No("the value is not available at the insertion point");
  }
  const Id type = module.TypeOf(value);
  if (!Fits(module, message.form, type)) {
    return No("this form of the transformation does not support the type of the value");
  }
  if (message.form == Form::kInsertOne && message.part >= PartCount(module, type).value_or(0)) {
    return No("no part has this index");
  }
  return Yes();
}

class Rebuilding {
 public:
  Rebuilding(const Message& message, ContextEditor& editor)
      : message_(message),
        editor_(editor),
        builder_(editor, editor.module().Find(message.before)),
        value_(editor.module().FindId(message.value)),
        type_(editor.module().TypeOf(value_)),
        count_(PartCount(editor.module(), type_).value_or(1)) {}

  Id Make() {
    switch (message_.form) {
      case Form::kConstruct:
        return builder_.Construct(type_, Result(), AllParts());
      case Form::kInsertAll:
        return InsertAll();
      case Form::kInsertOne:
        return builder_.Insert(PartAt(message_.part), *Part(value_).Component(message_.part),
                               Result());
      case Form::kShuffle:
        return Shuffle();
      default:
        return Widen();
    }
  }

 private:
  Name Result() const { return editor_.Made(kResult); }
  Id PartAt(uint32_t i) {
    return builder_.Extract(*Part(value_).Component(i), editor_.Made(kPart, i));
  }
  std::vector<Id> AllParts() {
    std::vector<Id> parts;
    for (uint32_t i = 0; i < count_; ++i) parts.push_back(PartAt(i));
    return parts;
  }

  Id InsertAll() {
    const std::vector<Id> parts = AllParts();
    // The intermediate values have undefined parts, so no synonyms are recorded for them.
    Id whole = builder_.Compute(spv::Op::OpUndef, type_, editor_.Made(kUndefined), {});
    for (uint32_t i = 0; i < count_; ++i) {
      const Name name = i + 1 == count_ ? Result() : editor_.Made(kInserted, i);
      whole = builder_.Compute(spv::Op::OpCompositeInsert, type_, name, {parts[i], whole, i});
    }
    return whole;
  }

  // Takes components from both operands in turn.
  Id Shuffle() {
    std::vector<uint32_t> components;
    for (uint32_t i = 0; i < count_; ++i) components.push_back(i % 2 == 0 ? i : i + count_);
    return builder_.Shuffle(type_, Result(), value_, value_, components);
  }

  // Makes a vector with one more component, and removes that component again.
  Id Widen() {
    const Module& module = editor_.module();
    const bool is_scalar = !IsVector(module, type_);
    const Id wider_type =
        Declare(editor_, VectorType(Describe(module, ScalarType(module, type_)), count_ + 1));
    if (is_scalar) {
      const Id pair = builder_.Construct(wider_type, editor_.Made(kWider), {value_, value_});
      return builder_.Extract(*Part(pair).Component(1), Result());
    }
    std::vector<uint32_t> components(count_);
    std::iota(components.begin(), components.end(), 0u);
    components.push_back(0);
    const Id longer =
        builder_.Shuffle(wider_type, editor_.Made(kWider), value_, value_, components);
    components.pop_back();
    return builder_.Shuffle(type_, Result(), longer, longer, components);
  }

  const Message& message_;
  ContextEditor& editor_;
  Builder builder_;
  const Id value_, type_;
  const uint32_t count_;  // number of parts; 1 for a scalar
};

void Apply(const Message& message, ContextEditor& editor) {
  const Id result = Rebuilding(message, editor).Make();
  editor.facts().AddSynonym(Part(result), Part(editor.module().FindId(message.value)),
                            editor.Provenance());
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  OfferAtInsertionPoints(proposer, spv::Op::OpCompositeConstruct, [&](Inst before) {
    const std::vector<Id> near = ValuesNear(module, before, 32);
    if (near.empty()) return;
    const Id value = near[proposer.Pick(near.size())];
    const Id type = module.TypeOf(value);
    std::vector<Form> fitting;
    for (Form form :
         {Form::kConstruct, Form::kInsertAll, Form::kInsertOne, Form::kShuffle, Form::kWiden}) {
      if (Fits(module, form, type)) fitting.push_back(form);
    }
    if (fitting.empty()) return;
    Message message{module.NameOf(before), module.NameOf(value),
                    fitting[proposer.Pick(fitting.size())], 0};
    if (message.form == Form::kInsertOne) {
      message.part = static_cast<uint32_t>(proposer.Pick(PartCount(module, type).value()));
    }
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 10},
     .follow_ons = {"replace_id_with_synonym", "make_vector_access_dynamic",
                    "push_id_through_variable", "replace_operand_with_undef"}});

}  // namespace refract::rebuild_value
