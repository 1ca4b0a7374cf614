// SPDX-License-Identifier: Apache-2.0
// Adds a constant that nothing depends on.
#include "message/add_irrelevant_constant.h"

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/values.h"

namespace refract::add_irrelevant_constant {
namespace {

using Message = message::AddIrrelevantConstant;
enum Role : uint64_t { kConstant = 1 };

CheckResult Check(const Message& message, const View& view) {
  if (!IsDeclarableHere(view.module(), message.constant)) {
    return No("the constant cannot be declared in this module");
  }
  return Yes();
}

// The opcode and operands of the declaration of a constant. Its parts are declared.
struct Parts {
  spv::Op opcode = spv::Op::OpConstantNull;
  Args args;
};

Parts PartsOf(ContextEditor& editor, const message::Constant& constant) {
  Parts parts;
  if (constant.is_null) return parts;
  if (!constant.parts.empty()) {
    parts.opcode = spv::Op::OpConstantComposite;
    for (const message::Constant& part : constant.parts) {
      parts.args.push_back(Declare(editor, part));
    }
    return parts;
  }
  if (constant.type.kind == message::Type::Kind::kBool) {
    const bool value = constant.words[0] != 0;
    parts.opcode = value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse;
    return parts;
  }
  parts.opcode = spv::Op::OpConstant;
  for (uint32_t word : constant.words) parts.args.push_back(word);
  return parts;
}

void Apply(const Message& message, ContextEditor& editor) {
  const Id type = Declare(editor, message.constant.type);
  const Parts parts = PartsOf(editor, message.constant);
  const Id constant =
      editor.DeclareDistinct(parts.opcode, type, editor.Made(kConstant), parts.args);
  editor.facts().SetIrrelevant(constant, editor.Provenance());
}

// A value of the type, often an extreme one.
message::Constant SomeConstant(Proposer& proposer, Id type) {
  const Module& module = proposer.module();
  if (Width(module, type) == 0 && !IsBool(module, type)) {
    return NullConstant(Describe(module, type));
  }
  const uint32_t width = IsBool(module, type) ? 1 : Width(module, type);
  const uint64_t ones = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t choices[] = {
      0, 1, 2, 7, ones >> 1, ones, ~ones >> 1 & ones, uint64_t{1} << (width - 1)};
  const uint64_t bits = choices[proposer.Pick(std::size(choices))] & ones;
  // For a float these bits would be denormals, so use zero or one.
  const uint64_t one = width == 16 ? 0x3c00 : width == 32 ? 0x3f800000 : 0x3ff0000000000000;
  const bool is_float = IsFloat(module, type);
  return ScalarConstant(module, type, is_float ? (proposer.Pick(2) == 0 ? 0 : one) : bits);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (!IsType(module.Opcode(inst)) || !MayBeVariable(module, module.Result(inst))) return;
    if (!proposer.ShouldTry()) return;
    const Message message{SomeConstant(proposer, module.Result(inst))};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60},
     .follow_ons = {"replace_irrelevant_id", "access", "move_declaration_down"}});

}  // namespace refract::add_irrelevant_constant
