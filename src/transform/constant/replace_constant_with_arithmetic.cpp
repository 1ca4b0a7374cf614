// SPDX-License-Identifier: Apache-2.0
// Replaces a constant by one operation on constants. Other steps can replace its operands by
// uniforms, comparisons or further operations, so a reduction can remove each layer separately.
#include "message/replace_constant_with_arithmetic.h"

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/known_values.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"
#include "transform/constant/constant_arithmetic.h"

namespace refract::replace_constant_with_arithmetic {
namespace {

using Message = message::ReplaceConstantWithArithmetic;
using message::Constant;
using spv::Op;
using Kind = message::Type::Kind;
enum Role : uint64_t { kOperation = 1 };

// The integer or boolean constant by value; nullopt for others.
std::optional<Constant> WholeConstant(const Module& module, Id constant) {
  const Id type = module.TypeOf(constant);
  if (type == Id::kNone || !(IsInt(module, type) || IsBool(module, type))) return std::nullopt;
  const std::optional<uint64_t> bits = LiteralValue(module, constant);
  if (!bits || !IsOrdinary(module, type)) return std::nullopt;
  const Constant wanted = ScalarConstant(module, type, *bits);
  if (wanted.type.declared) return std::nullopt;
  return wanted;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  const Id constant = module.IdAt(place.user, place.operand);
  const std::optional<Constant> wanted = WholeConstant(module, constant);
  if (!wanted) return No("the operand is not an integer or boolean constant");
  if (view.facts().Irrelevant(constant) != nullptr) {
    return No("the constant is marked as irrelevant");
  }
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  const ConstantOperation* row = ConstantOperationOf(message.operation);
  if (row == nullptr || row->kind != wanted->type.kind) {
    return No("the operation does not support the type");
  }
  if (!IsDeclarableHere(module, message.left) ||
      (!row->is_unary && !IsDeclarableHere(module, message.right))) {
    return No("a constant cannot be declared in this module");
  }
  const std::optional<uint64_t> result = Evaluate(*row, wanted->type, message.left, message.right);
  if (!result) return No("the operation does not support these constants");
  if (*result != BitsOf(*wanted, row->kind)) {
    return No("the result of the operation differs from the replaced constant");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  const Id constant = module.IdAt(place.user, place.operand);
  Args args{Declare(editor, message.left)};
  if (!ConstantOperationOf(message.operation)->is_unary)
    args.push_back(Declare(editor, message.right));
  const Id value =
      editor.InsertValue(InsertionPointFor(module, place), static_cast<Op>(message.operation),
                         module.TypeOf(constant), editor.Made(kOperation), args);
  editor.SetOperand(place.user, place.operand, value);
  editor.facts().AddSynonym(Part(value), Part(constant), editor.Provenance());
}

// The integers that known inputs equal: as operands, uniforms can replace them later.
std::vector<Constant> KnownIntegers(const View& view) {
  constexpr size_t kInputs = 64;
  std::vector<Constant> constants;
  for (const KnownValue& known : view.facts().known_inputs()) {
    if (constants.size() == kInputs) break;
    const std::optional<InputPlace> place = FindInput(view.module(), known);
    if (!place || Width(view.module(), place->type) != known.width) continue;
    Constant constant = ScalarConstant(view.module(), place->type, known.bits);
    if (BitsOf(constant, Kind::kInt)) constants.push_back(std::move(constant));
  }
  return constants;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::optional<std::vector<Constant>> known;
  const auto offer = [&](Inst inst, uint32_t operand) {
    if (!proposer.ShouldTry() || !MayBeAnyValue(module, {inst, operand})) return;
    if (ShouldSkip(proposer, inst)) return;
    const std::optional<Constant> wanted = WholeConstant(module, module.IdAt(inst, operand));
    if (!wanted || proposer.view().facts().Irrelevant(module.IdAt(inst, operand))) return;
    if (!known) known = KnownIntegers(proposer.view());
    auto formula = PickFormula(proposer, *wanted, *known);
    if (!formula) return;
    proposer.Offer(Message{DescribeUse(module, inst, operand), formula->operation,
                           std::move(formula->left), std::move(formula->right)});
  };
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (!module.IsId(inst, i)) continue;
          switch (module.OpcodeOf(module.IdAt(inst, i))) {
            case Op::OpConstant:
            case Op::OpConstantTrue:
            case Op::OpConstantFalse:
            case Op::OpConstantNull:
              offer(inst, i);
              break;
            default:
              break;
          }
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 20},
     .follow_ons = {"replace_constant_with_uniform", "replace_bool_constant_with_comparison",
                    "replace_constant_with_opaque_value"}});

}  // namespace refract::replace_constant_with_arithmetic
