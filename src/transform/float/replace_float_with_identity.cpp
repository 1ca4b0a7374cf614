// SPDX-License-Identifier: Apache-2.0
// Replaces a use of a float by an expression that equals it in real arithmetic. The check ensures
// that the module stays valid and that no instruction decides by the new value directly. That the
// outputs stay the same, as far as implementations may differ anyway, is certified by the
// interpreter (engine/certifier.h). No fact says that the two are equal.
#include "message/replace_float_with_identity.h"

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/availability.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/defined.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"
#include "transform/float/float_identities.h"

namespace refract::replace_float_with_identity {
namespace {

using Message = message::ReplaceFloatWithIdentity;
using F = FloatIdentity;
using spv::Op;
enum Role : uint64_t { kResult = 1, kInner = 2, kDecoration = 3 };

// The exponent of the constant of ADD_DIFFERENCE: so large that adding a colour to it loses the
// colour.
int LargeExponent(uint32_t width) {
  return width == 16 ? 14 : width == 32 ? 30 : 60;
}

// True for floats and vectors of floats with which the module may calculate.
bool IsFloats(const Module& module, Id type) {
  if (type == Id::kNone || !(IsFloat(module, type) || IsVector(module, type))) return false;
  return IsFloat(module, ScalarType(module, type)) && IsOrdinary(module, type);
}

// True for arithmetic that the decoration NoContraction applies to.
bool IsArithmetic(Op op) {
  switch (op) {
    case Op::OpFAdd:
    case Op::OpFSub:
    case Op::OpFMul:
    case Op::OpFDiv:
    case Op::OpFNegate:
    case Op::OpVectorTimesScalar:
    case Op::OpVectorTimesMatrix:
    case Op::OpMatrixTimesScalar:
    case Op::OpMatrixTimesVector:
    case Op::OpOuterProduct:
    case Op::OpDot:
      return true;
    default:
      return false;
  }
}

// True if the instruction moves its operands or calculates floats from them. A comparison, a
// conversion or a remainder can turn a small difference into a large one.
bool MovesOrCalculates(const Module& module, Inst user) {
  switch (module.Opcode(user)) {
    case Op::OpStore:
    case Op::OpReturnValue:
    case Op::OpPhi:
    case Op::OpSelect:
    case Op::OpCopyObject:
    case Op::OpCompositeConstruct:
    case Op::OpCompositeExtract:
    case Op::OpCompositeInsert:
    case Op::OpVectorShuffle:
    case Op::OpFunctionCall:
      return true;
    case Op::OpExtInst:
      switch (ExtInstSetOf(module, user) == ExtInstSet::kGlsl ? module.Word(user, 1) : 0u) {
        case GLSLstd450FAbs:
        case GLSLstd450FMin:
        case GLSLstd450FMax:
        case GLSLstd450FClamp:
        case GLSLstd450FMix:
        case GLSLstd450SmoothStep:
        case GLSLstd450Fma:
        case GLSLstd450Sin:
        case GLSLstd450Cos:
        case GLSLstd450Sqrt:
        case GLSLstd450Exp2:
        case GLSLstd450Length:
        case GLSLstd450Distance:
        case GLSLstd450Normalize:
        case GLSLstd450Cross:
          return true;
        default:
          return false;
      }
    default:
      return IsArithmetic(module.Opcode(user));
  }
}

// The values and numbers of the formula.
FormulaInputs SettingFor(const View& view, const FloatIdentity& row, Id value, Id other) {
  const Module& module = view.module();
  FormulaInputs setting;
  setting.values[0] = value;
  setting.values[1] = other;
  setting.result = module.TypeOf(value);
  setting.of_x = Describe(module, setting.result);
  const uint32_t width = ScalarOf(setting.of_x).width;
  const FloatBounds bounds = BoundsOf(view, value);
  const bool takes_bounds = (row.needs & (F::kLowest | F::kHighest)) != 0;
  setting.numbers[0] =
      takes_bounds ? bounds.lowest.value_or(0) : PowerOfTwo(width, LargeExponent(width));
  setting.numbers[1] = takes_bounds ? bounds.highest.value_or(0) : PowerOfTwo(width, 1);
  setting.numbers[2] = PowerOfTwo(width, -1);
  return setting;
}

bool HasNoContraction(const FloatIdentity& row, const Message& message) {
  return message.no_contraction || (row.needs & F::kNoContraction) != 0;
}

// Checks the value y.
CheckResult CheckOther(const View& view, const FloatIdentity& row, const Message& message, Id value,
                       Inst before) {
  if (!message.other) return Yes();
  if ((row.needs & F::kOther) == 0) return No("the identity has no other value");
  const Id other = view.Value(message.other);
  if (other == Id::kNone) return No("the other value does not exist");
  if (view.module().TypeOf(other) != view.module().TypeOf(value)) {
    return No("the other value has another type");
  }
  if (!IsAvailable(view.module(), other, before)) {
    return No("the other value is not available at the insertion point");
  }
  // An undefined value may differ between its uses, as may an irrelevant one.
  if (view.facts().Irrelevant(other) != nullptr) {
    return No("the other value is marked as irrelevant");
  }
  if (!IsSurelyDefined(view, other)) return No("the other value may be undefined");
  return Yes();
}

// Checks what the row needs of x.
CheckResult CheckNeeds(const View& view, const FloatIdentity& row, Id value) {
  const Module& module = view.module();
  if ((row.needs & F::kScalar) != 0 && IsVector(module, module.TypeOf(value))) {
    return No("the identity does not support vectors");
  }
  if ((row.needs & (F::kLowest | F::kHighest | F::kAbsolute)) == 0) return Yes();
  const Inst definition = module.Definition(value);
  const FloatBounds bounds = BoundsOf(view, value);
  const bool lacks = ((row.needs & F::kLowest) != 0 && !bounds.lowest) ||
                     ((row.needs & F::kHighest) != 0 && !bounds.highest);
  if (lacks) return No("the instruction that computes the value does not bound it");
  if ((row.needs & F::kAbsolute) != 0 && (module.Opcode(definition) != Op::OpExtInst ||
                                          ExtInstSetOf(module, definition) != ExtInstSet::kGlsl ||
                                          module.Word(definition, 1) != GLSLstd450FAbs)) {
    return No("the value is not an absolute value");
  }
  DependOnForm(view, definition);
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const FloatIdentity* row = FindFloatIdentity(message.form);
  if (row == nullptr) return No("the field `form` has an unknown value");
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  const Id value = module.IdAt(place.user, place.operand);
  if (!IsFloats(module, module.TypeOf(value))) {
    return No("the operand is not a float or a vector of floats");
  }
  if (view.facts().Irrelevant(value) != nullptr) return No("the operand is marked as irrelevant");
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  if (!MovesOrCalculates(module, place.user)) {
    return No("the instruction does more with the operand than move it or calculate with it");
  }
  const Inst before = InsertionPointFor(module, place);
  if (const CheckResult v = CheckOther(view, *row, message, value, before); !v) return v;
  if (const CheckResult v = CheckNeeds(view, *row, value); !v) return v;
  if (!IsFormulaPossible(module, row->steps, SettingFor(view, *row, value, value))) {
    return No(
        "a type or constant cannot be declared in this module, or GLSL.std.450 is not imported");
  }
  if (HasNoContraction(*row, message) && !HasCapability(module, spv::Capability::Shader)) {
    return No("the module does not declare the Shader capability");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const FloatIdentity& row = *FindFloatIdentity(message.form);
  const OperandUse place = FindUse(module, message.use);
  const Id value = module.IdAt(place.user, place.operand);
  const Id other = message.other ? module.FindId(message.other) : value;
  const Id result =
      EmitFormula(editor, InsertionPointFor(module, place), row.steps,
                  SettingFor(editor.view(), row, value, other), editor.Made(kResult), kInner);
  editor.SetOperand(place.user, place.operand, result);
  if (!HasNoContraction(row, message)) return;
  for (uint64_t i = 0; i < std::size(row.steps) && row.steps[i].op != Op::OpNop; ++i) {
    if (!IsArithmetic(row.steps[i].op)) continue;
    const Id inner = module.FindId(editor.Made(kInner, i));
    editor.AppendPlain(Module::SectionBlock(Section::kAnnotations), Op::OpDecorate,
                       editor.Made(kDecoration, i),
                       {inner == Id::kNone ? result : inner,
                        static_cast<uint32_t>(spv::Decoration::NoContraction)});
  }
}

// A value for y; kNone for x itself.
Id PickOther(Proposer& proposer, Inst before, Id value) {
  const Module& module = proposer.module();
  std::vector<Id> values = ValuesNear(module, before, 32);
  std::erase_if(values, [&](Id id) { return module.TypeOf(id) != module.TypeOf(value); });
  return values.empty() ? Id::kNone : values[proposer.Pick(values.size())];
}

void Offer(Proposer& proposer, Inst user) {
  const Module& module = proposer.module();
  if (ShouldSkip(proposer, user)) return;
  std::vector<uint32_t> operands;
  for (uint32_t i = 0; i < module.OperandCount(user); ++i) {
    if (module.IsId(user, i) && IsFloats(module, module.TypeOf(module.IdAt(user, i))) &&
        MayBeAnyValue(module, {user, i})) {
      operands.push_back(i);
    }
  }
  if (operands.empty()) return;
  // Several tries, because some identities need a value with bounds.
  for (int tries = 0; tries < 4; ++tries) {
    const uint32_t operand = operands[proposer.Pick(operands.size())];
    const FloatIdentity& row = FloatIdentities()[proposer.Pick(FloatIdentities().size())];
    Message message{DescribeUse(module, user, operand), row.form, {}, proposer.Pick(2) == 0};
    if ((row.needs & F::kOther) != 0) {
      const Id other = PickOther(proposer, InsertionPointFor(module, {user, operand}),
                                 module.IdAt(user, operand));
      if (other != Id::kNone) message.other = module.NameOf(other);
    }
    if (!Check(message, proposer.view())) continue;
    proposer.Offer(message);
    return;
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  OfferAtInstructions(
      proposer, [&](Inst inst) { return MovesOrCalculates(module, inst); },
      [&](Inst inst) { Offer(proposer, inst); });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 40},
     .follow_ons = {"add_no_contraction", "replace_constant_with_uniform",
                    "replace_bool_constant_with_comparison", "push_id_through_variable",
                    "propagate_instruction_down"}});

}  // namespace refract::replace_float_with_identity
