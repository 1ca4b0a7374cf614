// SPDX-License-Identifier: Apache-2.0
// Adds an OpSpecConstantOp, which compilers fold when they specialise. Its operands are constants
// whose values the message gives, or specialization constants with these values.
#include "message/add_spec_constant_op.h"

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/values.h"
#include "transform/constant/constant_arithmetic.h"

namespace refract::add_spec_constant_op {
namespace {

using Message = message::AddSpecConstantOp;
using Kind = message::Type::Kind;
enum Role : uint64_t { kOperation = 1 };

// If `specialised` is empty, the operand is the constant itself.
CheckResult CheckOperand(const View& view, const message::Constant& value, Name specialised) {
  const Module& module = view.module();
  if (!IsDeclarableHere(module, value)) return No("a constant cannot be declared in this module");
  if (!specialised) return Yes();
  const Id spec = view.Value(specialised);
  if (spec == Id::kNone || !IsSpecConstant(module.OpcodeOf(spec))) {
    return No("the specialization constant does not exist");
  }
  const Id constant = FindConstant(module, value);
  if (constant == Id::kNone || module.TypeOf(spec) != module.TypeOf(constant) ||
      !view.AreSynonymous(Part(spec), Part(constant))) {
    return No("the specialization constant is not known to have the value of the operand");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (!HasCapability(module, spv::Capability::Shader)) {
    return No("the module does not declare the Shader capability");
  }
  const ConstantOperation* operation = ConstantOperationOf(message.operation);
  if (operation == nullptr) return No("the opcode of the operation is unknown");
  if (CheckResult check_result = CheckOperand(view, message.left, message.left_specialised);
      !check_result) {
    return check_result;
  }
  if (operation->is_unary) {
    if (message.right_specialised || !(message.right == message::Constant())) {
      return No("the operation has only one operand, but two are given");
    }
  } else {
    if (CheckResult check_result = CheckOperand(view, message.right, message.right_specialised);
        !check_result) {
      return check_result;
    }
  }
  if (!Evaluate(*operation, message.left.type, message.left, message.right)) {
    return No("the operation does not support these constants");
  }
  return Yes();
}

Id OperandOf(ContextEditor& editor, const message::Constant& value, Name specialised) {
  return specialised ? editor.module().FindId(specialised) : Declare(editor, value);
}

void Apply(const Message& message, ContextEditor& editor) {
  const ConstantOperation& operation = *ConstantOperationOf(message.operation);
  const message::Type& type = message.left.type;
  const uint64_t bits = *Evaluate(operation, type, message.left, message.right);
  const Id value = Declare(editor, ScalarConstant(type, bits));
  Steps why;
  const auto rests_on = [&](Name specialised, const message::Constant& literal) {
    if (!specialised) return;
    const Module& module = editor.module();
    const auto steps = editor.facts().Synonymous(module, Part(module.FindId(specialised)),
                                                 Part(FindConstant(module, literal)));
    if (steps) MergeSteps(&why, *steps);
  };
  rests_on(message.left_specialised, message.left);
  Args args{message.operation, OperandOf(editor, message.left, message.left_specialised)};
  if (!operation.is_unary) {
    rests_on(message.right_specialised, message.right);
    args.push_back(OperandOf(editor, message.right, message.right_specialised));
  }
  const Id result = editor.DeclareDistinct(spv::Op::OpSpecConstantOp, editor.module().TypeOf(value),
                                           editor.Made(kOperation), args);
  // An irrelevant operand can get another value, so then no synonym is recorded.
  const Facts& facts = editor.facts();
  bool irrelevant = facts.Irrelevant(value) != nullptr;
  for (size_t i = 1; i < args.size(); ++i) {
    irrelevant |= facts.Irrelevant(static_cast<Id>(args[i].word)) != nullptr;
  }
  if (!irrelevant) editor.facts().AddSynonym(Part(result), Part(value), editor.Provenance(why));
}

// A specialization constant that is a synonym of the literal; nothing if not found.
Name SpecialisedAs(const View& view, const message::Constant& value) {
  const Module& module = view.module();
  const Id constant = FindConstant(module, value);
  if (constant == Id::kNone || !view.facts().MayHaveSynonyms(constant)) return {};
  for (const Facts::Synonym& synonym : view.facts().SynonymsOf(module, Part(constant), 8)) {
    const Id id = synonym.part.value;
    if (synonym.part.depth == 0 && IsSpecConstant(module.OpcodeOf(id)) &&
        module.TypeOf(id) == module.TypeOf(constant)) {
      return module.NameOf(id);
    }
  }
  return {};
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::vector<message::Constant> wanted, specialised;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    const Id id = module.Result(inst);
    if (id == Id::kNone || !IsConstant(module.Opcode(inst))) return;
    const auto value = DescribeConstant(module, id);
    if (!value || value->is_null) return;
    const Kind kind = value->type.kind;
    if (!BitsOf(*value, kind) || (kind != Kind::kInt && kind != Kind::kBool)) return;
    wanted.push_back(*value);
    if (kind == Kind::kInt && SpecialisedAs(proposer.view(), *value)) specialised.push_back(*value);
  });
  for (int i = 0; i < 4 && !wanted.empty(); ++i) {
    if (!proposer.ShouldTry()) continue;
    const message::Constant& value = wanted[proposer.Pick(wanted.size())];
    auto formula = PickFormula(proposer, value, specialised);
    if (!formula || !(formula->left.type == value.type)) continue;
    Message message;
    message.operation = formula->operation;
    message.left = std::move(formula->left);
    message.right = std::move(formula->right);
    if (proposer.Pick(4) != 0)
      message.left_specialised = SpecialisedAs(proposer.view(), message.left);
    if (proposer.Pick(4) != 0) {
      message.right_specialised = SpecialisedAs(proposer.view(), message.right);
    }
    proposer.Offer(std::move(message));
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {15, 70}, .follow_ons = {"replace_id_with_synonym"}});

}  // namespace refract::add_spec_constant_op
