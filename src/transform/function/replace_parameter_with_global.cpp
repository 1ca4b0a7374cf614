// SPDX-License-Identifier: Apache-2.0
// Passes an argument in a private variable. Each call writes the variable directly before the call,
// and the function reads it first, so nothing can write it in between, wherever the function is
// called. The parameter becomes the load.
#include "message/replace_parameter_with_global.h"

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/function_type.h"
#include "rules/context_editor.h"
#include "rules/legality/replaceable_variables.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::replace_parameter_with_global {
namespace {

using Message = message::ReplaceParameterWithGlobal;
enum Role : uint64_t { kVariable = 1, kStore = 2 };

constexpr auto kPrivate = static_cast<uint32_t>(spv::StorageClass::Private);

CheckResult Check(const Message& message, const View& view) {
  if (const CheckResult v = CheckParameter(view, message.parameter); !v) return v;
  const Module& module = view.module();
  const Inst parameter = module.Find(message.parameter);
  if (!MayBeVariable(module, module.Type(parameter))) {
    return No("a variable cannot have the parameter's type");
  }
  if (!MayHaveVariables(view, kPrivate, module.FunctionOf(parameter))) {
    return No("a Private variable cannot be added for the function");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst parameter = module.Find(message.parameter);
  const Function function = module.FunctionOf(parameter);
  const Id type = module.Type(parameter);
  const uint32_t operand = OperandOf(module, parameter);
  const Id variable = AddVariable(editor, spv::StorageClass::Private, function, type,
                                  editor.Made(kVariable), DeclareNull(editor, type));
  editor.AddToInterfaces(variable, function);
  ChangeCalls(editor, function, [&](Inst call, Args* args) {
    editor.InsertPlain(call, spv::Op::OpStore, editor.Made(kStore, module.NameOf(call)),
                       {variable, (*args)[operand]});
    args->erase(args->begin() + operand);
  });
  editor.MoveBefore(parameter, AfterVariables(module, function));
  editor.SetOpcode(parameter, spv::Op::OpLoad);
  editor.SetOperands(parameter, {variable});
  UpdateFunctionType(editor, function);
  if (const Steps* why = editor.facts().Irrelevant(module.Result(parameter))) {
    editor.facts().SetIrrelevantPointee(variable, editor.Provenance(*why));
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    for (Inst parameter : ParametersOf(module, function)) {
      if (!proposer.ShouldTry()) continue;
      const Message message{module.NameOf(parameter)};
      if (Check(message, proposer.view())) proposer.Offer(message);
    }
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60}, .follow_ons = {"access", "pack_variables", "load_again"}});

}  // namespace refract::replace_parameter_with_global
