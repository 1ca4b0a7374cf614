// SPDX-License-Identifier: Apache-2.0
// Replaces a constant by an operation that yields it for every value. Other steps can replace the
// constants in the operation and the value, so a reduction can remove each layer separately.
#include "message/replace_constant_with_opaque_value.h"

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/bits.h"
#include "rules/build/declare.h"
#include "rules/legality/defined.h"
#include "rules/legality/divergence_mix.h"
#include "rules/legality/known_values.h"
#include "rules/legality/live_range.h"
#include "rules/legality/memory.h"
#include "rules/legality/upper_bound.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"
#include "transform/constant/opaque_forms.h"

namespace refract::replace_constant_with_opaque_value {
namespace {

using Message = message::ReplaceConstantWithOpaqueValue;
using Form = Message::Form;
using Op = spv::Op;
enum Role : uint64_t { kResult = 1, kInner = 2, kSource = 3 };

bool HasBound(Form form) {
  return form == Form::kWithinBound || form == Form::kAboveBound;
}

// The bits of a constant boolean or int, or of a vector of equal components.
std::optional<uint64_t> BitsAt(const View& view, Id constant) {
  const Module& module = view.module();
  const Id type = module.TypeOf(constant);
  const Id scalar = type == Id::kNone ? Id::kNone : ScalarType(module, type);
  if (scalar == Id::kNone || !(IsBool(module, scalar) || IsInt(module, scalar)) ||
      !IsOrdinary(module, type)) {
    return std::nullopt;
  }
  return SplatLiteral(view, constant);
}

FormulaInputs SettingFor(const View& view, Form form, const OpaqueSource& source, Id value,
                         Id wanted) {
  FormulaInputs setting;
  setting.values[0] = value;
  setting.result = wanted;
  setting.of_x = source.type;
  if (HasBound(form)) setting.numbers[0] = UpperBound(view, value);
  return setting;
}

// True if the value has a useful upper bound, smaller than the largest int of its width.
bool IsBound(const View& view, const OpaqueSource& source, Id value) {
  if (source.bitcasts) return false;
  const uint32_t width = ScalarOf(source.type).width;
  return UpperBound(view, value) < LowBits(width);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  const Id constant = module.IdAt(place.user, place.operand);
  if (view.facts().Irrelevant(constant) != nullptr) {
    return No("the constant is marked as irrelevant");
  }
  const std::optional<uint64_t> bits = BitsAt(view, constant);
  if (!bits) return No("the operand is not an integer or boolean constant");
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  const OpaqueForm* form = FindOpaqueForm(message.form);
  if (form == nullptr) return No("the field `form` has an unknown value");
  const Id wanted = module.TypeOf(constant);
  if (!Gives(module, *form, wanted, *bits)) {
    return No("this form of the transformation cannot produce the constant");
  }
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value does not exist");
  const auto source = FindOpaqueSource(module, *form, value, message.component, wanted);
  if (!source) return No("this form of the transformation does not support the value");
  if (HasBound(form->form) && !IsBound(view, *source, value)) {
    return No("no upper bound of the value is known");
  }
  const Inst before = InsertionPointFor(module, place);
  if (const CheckResult v = CheckOpaqueSource(view, *form, *source, value, before); !v) return v;
  const bool is_declarable = !source->bitcasts || IsDeclarableHere(module, source->type);
  if (!is_declarable || !IsFormulaPossible(module, form->steps,
                                           SettingFor(view, form->form, *source, value, wanted))) {
    return No(
        "a type or constant cannot be declared in this module, or GLSL.std.450 is not imported");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  const Id constant = module.IdAt(place.user, place.operand);
  const Id wanted = module.TypeOf(constant);
  const OpaqueForm& form = *FindOpaqueForm(message.form);
  const Id named = module.FindId(message.value);
  const OpaqueSource source =
      FindOpaqueSource(module, form, named, message.component, wanted).value();
  FormulaInputs setting = SettingFor(editor.view(), form.form, source, named, wanted);
  const Inst before = InsertionPointFor(module, place);
  setting.values[0] = MakeOpaqueSource(editor, source, named, message.component, before, kSource);
  const Id result = EmitFormula(editor, before, form.steps, setting, editor.Made(kResult), kInner);
  editor.SetOperand(place.user, place.operand, result);
  editor.facts().AddSynonym(Part(result), Part(constant), editor.Provenance());
}

// The candidates for the value: values that are near or were defined long before, uniform and
// divergent ones in turn, and inputs, which differ between invocations.
class Sources {
 public:
  explicit Sources(const Module& module) {
    constexpr size_t kMost = 32;
    ForEachGlobalVariable(module, [&](Inst inst) {
      if (inputs_.size() < kMost &&
          StorageClassOf(module, module.Type(inst)) == spv::StorageClass::Input &&
          ScalarType(module, PointeeOf(module, module.Result(inst))) != Id::kNone) {
        inputs_.push_back(module.Result(inst));
      }
    });
  }

  Id Pick(Proposer& proposer, const std::vector<Id>& values) {
    if (!inputs_.empty() && proposer.Pick(3) == 0) return inputs_[proposer.Pick(inputs_.size())];
    return values.empty() ? Id::kNone : mix_.Pick(proposer, values);
  }

 private:
  std::vector<Id> inputs_;
  DivergenceMix mix_;
};

void Offer(Proposer& proposer, Sources& sources, OperandUse place) {
  const Module& module = proposer.module();
  const Id constant = module.IdAt(place.user, place.operand);
  const std::optional<uint64_t> bits = BitsAt(proposer.view(), constant);
  if (!bits || !MayBeAnyValue(module, place)) return;
  const Id type = module.TypeOf(constant);
  const message::Use use = DescribeUse(module, place.user, place.operand);
  const Inst before = InsertionPointFor(module, place);
  std::vector<Id> values = NearOrFar(proposer, before, ValuesNear(module, before, 32));
  std::erase_if(values, [&](Id id) { return IsConstant(module.OpcodeOf(id)); });
  // Several tries, because not every value is suitable.
  for (int tries = 0; tries < 4; ++tries) {
    const Id value = sources.Pick(proposer, values);
    if (value == Id::kNone) continue;
    const auto component = static_cast<uint32_t>(proposer.Pick(4));
    std::vector<Message> fitting;
    for (const OpaqueForm& form : OpaqueForms()) {
      if (!Gives(module, form, type, *bits)) continue;
      for (uint32_t taken : {component, 0u}) {
        if (!FindOpaqueSource(module, form, value, taken, type)) continue;
        fitting.push_back({use, form.form, module.NameOf(value), taken});
        break;
      }
    }
    if (fitting.empty()) continue;
    const Message& message = fitting[proposer.Pick(fitting.size())];
    if (!Check(message, proposer.view())) continue;
    proposer.Offer(message);
    return;
  }
}

bool IsLiteral(Op op) {
  return op == Op::OpConstant || op == Op::OpConstantTrue || op == Op::OpConstantFalse ||
         op == Op::OpConstantNull || op == Op::OpConstantComposite;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  Sources sources(module);
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (module.IsId(inst, i) && IsLiteral(module.OpcodeOf(module.IdAt(inst, i))) &&
              proposer.ShouldTry() && !ShouldSkip(proposer, inst)) {
            Offer(proposer, sources, {inst, i});
          }
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {4, 30},
     .follow_ons = {"replace_constant_with_uniform", "replace_constant_with_arithmetic",
                    "replace_id_with_synonym", "add_arithmetic_synonym"}});

}  // namespace refract::replace_constant_with_opaque_value
