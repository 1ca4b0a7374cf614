// SPDX-License-Identifier: Apache-2.0
#include "rules/build/formula.h"

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {
namespace {

using message::Constant;
using message::Type;
using Kind = message::Type::Kind;

constexpr uint32_t kVersion14 = 0x00010400;

// The number one, as an int or a float.
uint64_t OneOf(const Type& scalar) {
  if (scalar.kind != Kind::kFloat) return 1;
  if (scalar.width == 16) return 0x3c00;
  return scalar.width == 32 ? 0x3f800000 : 0x3ff0000000000000;
}

// The type of the OpSelect condition: one bool, but for vectors before version 1.4 one bool for
// each component.
Type ConditionFor(const Module& module, const Type& type) {
  const bool is_vector = type.kind == Kind::kVector;
  return module.version() < kVersion14 && is_vector ? WithScalar(type, BoolType()) : BoolType();
}

// The constant that a term means; nullopt for terms that mean values.
std::optional<Constant> ConstantFor(const Module& module, Term term, const FormulaInputs& setting) {
  const Type& type = setting.of_x;
  const auto count = [](uint64_t number) { return ScalarConstant(IntType(32, false), number); };
  switch (term) {
    case Term::kZero:
      return SplatConstant(type, 0);
    case Term::kOne:
      return SplatConstant(type, OneOf(ScalarOf(type)));
    case Term::kOnes:
      return SplatConstant(type, ~uint64_t{0});
    case Term::kTop:
      return SplatConstant(type, uint64_t{1} << (ScalarOf(type).width - 1));
    case Term::kA:
    case Term::kB:
    case Term::kC:
      return SplatConstant(
          type, setting.numbers[static_cast<size_t>(term) - static_cast<size_t>(Term::kA)]);
    case Term::kZeroCount:
      return count(0);
    case Term::kCountA:
      return count(setting.numbers[0]);
    case Term::kCountB:
      return count(setting.numbers[1]);
    case Term::kFalse:
    case Term::kTrue:
      return SplatConstant(WithScalar(type, BoolType()), term == Term::kTrue ? 1 : 0);
    case Term::kChooseFirst:
    case Term::kChooseSecond:
      return SplatConstant(ConditionFor(module, type), term == Term::kChooseFirst ? 1 : 0);
    default:
      return std::nullopt;
  }
}

// The type by value, because it may have to be declared.
Type TypeFor(const Module& module, FormulaType shape, const FormulaInputs& setting) {
  switch (shape) {
    case FormulaType::kOfX:
      return setting.of_x;
    case FormulaType::kBool:
      return WithScalar(setting.of_x, BoolType());
    case FormulaType::kWide:
      return setting.wide;
    case FormulaType::kResult:
      break;
  }
  return Describe(module, setting.result);
}

}  // namespace

const Type& ScalarOf(const Type& type) {
  return type.kind == Kind::kVector && type.parts.size() == 1 ? type.parts[0] : type;
}

Type WithScalar(const Type& type, const Type& scalar) {
  if (type.kind != Kind::kVector) return scalar;
  Type result = type;
  result.parts = {scalar};
  return result;
}

Constant SplatConstant(const Type& type, uint64_t bits) {
  if (type.kind != Kind::kVector) return ScalarConstant(type, bits);
  Constant constant;
  constant.type = type;
  constant.parts.assign(type.count, ScalarConstant(ScalarOf(type), bits));
  return constant;
}

Type IntsLike(const Module& module, const Type& type, uint32_t width, bool is_signed) {
  const Type wanted = WithScalar(type, IntType(width, is_signed));
  return IsDeclarableHere(module, wanted) ? wanted : WithScalar(type, IntType(width, false));
}

bool IsFormulaPossible(const Module& module, std::span<const FormulaOp> formula,
                       const FormulaInputs& setting) {
  for (const FormulaOp& step : formula) {
    if (step.op == spv::Op::OpNop) break;
    if (step.op == spv::Op::OpExtInst && FindGlslImport(module) == Id::kNone) return false;
    if (step.shape != FormulaType::kResult &&
        !IsDeclarableHere(module, TypeFor(module, step.shape, setting))) {
      return false;
    }
    for (Term term : step.operands) {
      const std::optional<Constant> constant = ConstantFor(module, term, setting);
      if (constant && !IsDeclarableHere(module, *constant)) return false;
    }
  }
  return true;
}

Id EmitFormula(ContextEditor& editor, Inst before, std::span<const FormulaOp> formula,
               const FormulaInputs& setting, Name result, uint64_t role) {
  const Module& module = editor.module();
  Id made[4] = {};
  const auto id_of = [&](Term term) {
    if (term >= Term::kX && term <= Term::kW) {
      return setting.values[static_cast<size_t>(term) - static_cast<size_t>(Term::kX)];
    }
    if (term >= Term::kT0 && term <= Term::kT3) {
      return made[static_cast<size_t>(term) - static_cast<size_t>(Term::kT0)];
    }
    return Declare(editor, ConstantFor(module, term, setting).value());
  };
  Id last = Id::kNone;
  for (size_t i = 0; i < formula.size() && formula[i].op != spv::Op::OpNop; ++i) {
    const FormulaOp& step = formula[i];
    Args args;
    if (step.op == spv::Op::OpExtInst) args = {FindGlslImport(module), step.glsl};
    for (Term term : step.operands) {
      if (term != Term::kNone) args.push_back(id_of(term));
    }
    const bool is_last = i + 1 == formula.size() || formula[i + 1].op == spv::Op::OpNop;
    const Id type = step.shape == FormulaType::kResult
                        ? setting.result
                        : Declare(editor, TypeFor(module, step.shape, setting));
    last = editor.InsertValue(before, step.op, type,
                              is_last ? result : editor.Made(role, static_cast<uint64_t>(i)), args);
    if (i < std::size(made)) made[i] = last;
  }
  return last;
}

std::optional<uint64_t> SplatLiteral(const View& view, Id constant) {
  const Module& module = view.module();
  if (view.facts().Irrelevant(constant) != nullptr) return std::nullopt;
  const Inst inst = module.Definition(constant);
  if (const auto value = LiteralValue(module, constant)) return value;
  if (!IsVector(module, module.Type(inst))) return std::nullopt;
  if (module.Opcode(inst) == spv::Op::OpConstantNull) return 0;
  if (module.Opcode(inst) != spv::Op::OpConstantComposite) return std::nullopt;
  const std::optional<uint64_t> first = LiteralValue(module, module.IdAt(inst, 0));
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    const Id part = module.IdAt(inst, i);
    if (view.facts().Irrelevant(part) != nullptr || LiteralValue(module, part) != first) {
      return std::nullopt;
    }
  }
  return first;
}

}  // namespace rules
}  // namespace refract
