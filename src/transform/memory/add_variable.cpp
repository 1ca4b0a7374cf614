// SPDX-License-Identifier: Apache-2.0
// Adds a variable that nothing depends on.
#include "message/add_variable.h"

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/values.h"

namespace refract::add_variable {
namespace {

using Message = message::AddVariable;
enum Role : uint64_t { kVariable = 1 };

constexpr auto kFunction = static_cast<uint32_t>(spv::StorageClass::Function);
constexpr auto kPrivate = static_cast<uint32_t>(spv::StorageClass::Private);

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (!MayHaveVariables(module, message.storage)) {
    return No("a variable of this storage class cannot be added");
  }
  if (message.storage == kFunction) {
    const Function function = view.FunctionNamed(message.function);
    if (function == Function::kNone) return No("the function does not exist");
    if (module[function].first == Block::kNone) return No("the function has no body");
  } else if (message.function) {
    return No("the message names a function, but the variable has storage class Private");
  }
  if (!MayBeVariable(module, message.type)) return No("a variable cannot have this type");
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Id type = Declare(editor, message.type);
  const Function function = message.storage == kFunction
                                ? editor.view().FunctionNamed(message.function)
                                : Function::kNone;
  const Id null = editor.Declare(spv::Op::OpConstantNull, type, {});
  const Id variable = refract::AddVariable(editor, static_cast<spv::StorageClass>(message.storage),
                                           function, type, editor.Made(kVariable), null);
  editor.facts().SetIrrelevantPointee(variable, editor.Provenance());
}

// The types of the module that a variable can have.
std::vector<Id> VariableTypes(const Module& module) {
  std::vector<Id> types;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (IsType(module.Opcode(inst)) && MayBeVariable(module, module.Result(inst))) {
      types.push_back(module.Result(inst));
    }
  });
  return types;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::vector<Id> types;
  const auto offer = [&](uint32_t storage, Name function) {
    if (types.empty()) types = VariableTypes(module);
    if (types.empty()) return;
    proposer.Offer(
        Message{Describe(module, types[proposer.Pick(types.size())]), storage, function});
  };
  if (MayHaveVariables(module, kPrivate) && proposer.ShouldTry()) offer(kPrivate, {});
  ForEachFunction(proposer, [&](Function function) {
    if (module[function].first == Block::kNone || !proposer.ShouldTry()) return;
    offer(kFunction, module.NameOf(module[function].definition));
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 90}, .follow_ons = {"access", "add_pointer"}});

}  // namespace refract::add_variable
