// SPDX-License-Identifier: Apache-2.0
// Computes the result of an integer or boolean operation in another way, as a synonym.
#include "message/add_arithmetic_synonym.h"

#include <algorithm>
#include <array>

#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/defined.h"
#include "rules/legality/defined_by_constants.h"
#include "rules/legality/upper_bound.h"
#include "rules/values.h"
#include "transform/synonym/equivalents.h"

namespace refract::add_arithmetic_synonym {
namespace {

using Message = message::AddArithmeticSynonym;
using Form = Message::Form;
using Op = spv::Op;
enum Role : uint64_t { kResult = 1, kInner = 2 };

constexpr auto kForms = static_cast<uint32_t>(Form::kLogicalNotAsSelect) + 1;

bool IsWidened(Form form) {
  return form == Form::kIn32Bits || form == Form::kIn64Bits;
}

// The number of an extended instruction of GLSL.std.450; 0 for other instructions.
uint32_t GlslNumber(const Module& module, Inst inst) {
  if (module.Opcode(inst) != Op::OpExtInst || ExtInstSetOf(module, inst) != ExtInstSet::kGlsl) {
    return 0;
  }
  return module.Word(inst, 1);
}

// The operands, constants last: 8 * x is treated as x * 8.
std::vector<Id> OperandsOf(const View& view, Inst inst) {
  const Module& module = view.module();
  std::vector<Id> operands;
  const uint32_t first = module.Opcode(inst) == Op::OpExtInst ? 2 : 0;
  for (uint32_t i = first; i < module.OperandCount(inst); ++i) {
    operands.push_back(module.IdAt(inst, i));
  }
  if (operands.size() == 2 && PropertiesOf(module, inst).commutes &&
      SplatLiteral(view, operands[0]) && !SplatLiteral(view, operands[1])) {
    std::swap(operands[0], operands[1]);
  }
  return operands;
}

// A formula and its input values.
struct Plan {
  std::vector<FormulaOp> steps;
  FormulaInputs setting;
};

uint32_t WidthOfX(const Module& module, Id x) {
  const Id scalar = ScalarType(module, module.TypeOf(x));
  return scalar == Id::kNone ? 0 : Width(module, scalar);
}

// The plan that computes the operation with wider ints; without steps if this is not possible.
Plan WidenedPlan(const Module& module, Form form, Inst inst, Plan plan) {
  const Id scalar = ScalarType(module, plan.setting.result);
  const bool is_signed = scalar != Id::kNone && IsInt(module, scalar) && IsSigned(module, scalar);
  const std::optional<Widened> widened = WidenedForm(module.Opcode(inst), is_signed);
  const uint32_t width = form == Form::kIn32Bits ? 32 : 64;
  if (!widened || WidthOfX(module, plan.setting.values[0]) >= width) return plan;
  plan.steps = widened->steps;
  plan.setting.wide = IntsLike(module, plan.setting.of_x, width, widened->is_signed);
  return plan;
}

Plan PlanFor(const View& view, Form form, Inst inst, const Equivalent* row) {
  const Module& module = view.module();
  const std::vector<Id> operands = OperandsOf(view, inst);
  Plan plan;
  for (size_t i = 0; i < std::min<size_t>(operands.size(), 4); ++i) {
    plan.setting.values[i] = operands[i];
  }
  plan.setting.result = module.Type(inst);
  plan.setting.of_x = Describe(module, module.TypeOf(operands[0]));
  if (row == nullptr) return WidenedPlan(module, form, inst, std::move(plan));
  std::array<std::optional<uint64_t>, 4> literals;
  if (row->literals != Literals::kNone) {
    for (size_t i = 0; i < std::min<size_t>(operands.size(), 4); ++i) {
      literals[i] = SplatLiteral(view, operands[i]);
    }
  }
  const auto numbers = NumbersFor(row->literals, literals, WidthOfX(module, operands[0]));
  if (!numbers) return plan;
  std::copy(numbers->begin(), numbers->end(), plan.setting.numbers);
  plan.steps.assign(std::begin(row->steps), std::end(row->steps));
  return plan;
}

CheckResult CheckOperands(const View& view, Inst inst, bool sure) {
  const Module& module = view.module();
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    if (!module.IsId(inst, i) || module.TypeOf(module.IdAt(inst, i)) == Id::kNone) continue;
    const Id operand = module.IdAt(inst, i);
    // An irrelevant or undefined operand might get another value in one of its two uses.
    if (module.OpcodeOf(operand) == Op::OpUndef) return No("an operand is undefined");
    if (view.facts().Irrelevant(operand) != nullptr) {
      return No("an operand is marked as irrelevant");
    }
    if (FindDecoration(module, operand, spv::Decoration::RelaxedPrecision) != Inst::kNone) {
      return No("an operand has RelaxedPrecision");
    }
    if (sure && !(IsSurelyDefined(view, operand) && IsSurelyExact(view, operand))) {
      return No("an operand may be undefined or approximate");
    }
    view.DependOn(inst, i);
  }
  return Yes();
}

bool IsShift(Op op) {
  return op == Op::OpShiftLeftLogical || op == Op::OpShiftRightLogical ||
         op == Op::OpShiftRightArithmetic;
}

// True if the operation may be undefined for its operands. A form may then be defined (a shift of
// wider ints, a clamp with bounds in the wrong order), and a defined value must not become a
// synonym of an undefined one.
bool MayBeUndefined(const View& view, Inst inst) {
  const Module& module = view.module();
  if (!PropertiesOf(module, inst).value_may_be_undefined || IsDefinedByConstants(module, inst)) {
    return false;
  }
  const uint32_t width = Width(module, ScalarType(module, module.Type(inst)));
  return !IsShift(module.Opcode(inst)) || UpperBound(view, module.IdAt(inst, 1)) >= width;
}

bool DoTypesFit(const Module& module, uint8_t requirements, const FormulaInputs& setting) {
  const Id of_x = module.TypeOf(setting.values[0]);
  if ((requirements & (kUnsigned | kBitField | kSameTypes)) != 0 && of_x != setting.result)
    return false;
  if ((requirements & kSameTypes) != 0 && module.TypeOf(setting.values[1]) != of_x) return false;
  if ((requirements & kUnsigned) != 0 && ScalarOf(setting.of_x).is_signed) return false;
  return (requirements & kBitField) == 0 ||
         (ScalarOf(setting.of_x).width == 32 && HasCapability(module, spv::Capability::Shader));
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (static_cast<uint32_t>(message.form) >= kForms) {
    return No("the field `form` has an unknown value");
  }
  const Inst inst = view.Find(message.instruction);
  if (inst == Inst::kNone || !module.IsBasicBlock(module.BlockOf(inst))) {
    return No("the instruction does not exist");
  }
  const Op op = module.Opcode(inst);
  const uint32_t glsl = GlslNumber(module, inst);
  const Equivalent* row = FindEquivalent(message.form, op, glsl);
  const bool fits = IsWidened(message.form) ? MayBeWidened(op) : row != nullptr;
  if (!fits) return No("this form of the transformation does not support the operation");
  if (message.opcode != 0 && static_cast<uint32_t>(op) != message.opcode) {
    return No("the operation does not have the opcode that the message names");
  }
  if (const CheckResult v = MayHaveSynonym(view, module.Result(inst)); !v) return v;
  if (FindDecoration(module, module.Result(inst), spv::Decoration::RelaxedPrecision) !=
      Inst::kNone) {
    return No("the result has RelaxedPrecision");
  }
  const uint8_t requirements = row != nullptr ? row->requirements : uint8_t{kAnything};
  // If one operand has all bits set, the result of an OR does not depend on the other operand.
  // After widening, the upper bits need not be set, and the result depends on both operands.
  const bool sure =
      (requirements & kSureValues) != 0 || (IsWidened(message.form) && op == Op::OpBitwiseOr);
  if (const CheckResult v = CheckOperands(view, inst, sure); !v) return v;
  const Plan plan = PlanFor(view, message.form, inst, row);
  if (plan.steps.empty()) {
    return No("this form of the transformation does not support these constants or this width");
  }
  if (MayBeUndefined(view, inst)) return No("the result may be undefined");
  if (!DoTypesFit(module, requirements, plan.setting)) {
    return No("this form of the transformation does not support the types of the operands");
  }
  if (!IsFormulaPossible(module, plan.steps, plan.setting)) {
    return No(
        "a type or constant cannot be declared in this module, or GLSL.std.450 is not imported");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.instruction);
  const Equivalent* row =
      FindEquivalent(message.form, module.Opcode(inst), GlslNumber(module, inst));
  const Plan plan = PlanFor(editor.view(), message.form, inst, row);
  const Id result =
      EmitFormula(editor, inst, plan.steps, plan.setting, editor.Made(kResult), kInner);
  editor.facts().AddSynonym(Part(result), Part(module.Result(inst)), editor.Provenance());
}

void Offer(Proposer& proposer, Inst inst) {
  const Module& module = proposer.module();
  std::vector<Form> fitting;
  for (uint32_t form = 0; form < kForms; ++form) {
    const Message message{module.NameOf(inst), static_cast<Form>(form),
                          static_cast<uint32_t>(module.Opcode(inst))};
    if (Check(message, proposer.view())) fitting.push_back(message.form);
  }
  if (fitting.empty()) return;
  proposer.Offer(Message{module.NameOf(inst), fitting[proposer.Pick(fitting.size())],
                         static_cast<uint32_t>(module.Opcode(inst))});
}

// True if some form supports the opcode.
bool HasForms(Op op) {
  if (MayBeWidened(op)) return true;
  for (const auto rows : {IntEquivalents(), BoolEquivalents()}) {
    if (std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.op == op; })) {
      return true;
    }
  }
  return false;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (module.Result(inst) == Id::kNone || !HasForms(module.Opcode(inst))) return;
        if (proposer.ShouldTry()) Offer(proposer, inst);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 40},
     .follow_ons = {"replace_id_with_synonym", "add_synonym", "add_phi_synonym",
                    "add_arithmetic_synonym", "recover_operand"}});

}  // namespace refract::add_arithmetic_synonym
