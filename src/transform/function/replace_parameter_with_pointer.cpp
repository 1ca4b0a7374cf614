// SPDX-License-Identifier: Apache-2.0
// Passes an argument through memory. Nothing else accesses the memory between the write before the
// call and the read at the beginning of the function, so the value is the same. The parameter
// becomes the load; the new pointer is the last parameter.
#include "message/replace_parameter_with_pointer.h"

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/function_type.h"
#include "rules/context_editor.h"
#include "rules/legality/replaceable_variables.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::replace_parameter_with_pointer {
namespace {

using Message = message::ReplaceParameterWithPointer;
enum Role : uint64_t { kPointer = 1, kVariable = 2, kStore = 3 };

CheckResult Check(const Message& message, const View& view) {
  if (const CheckResult v = CheckParameter(view, message.parameter); !v) return v;
  const Module& module = view.module();
  if (!MayBeVariable(module, module.Type(module.Find(message.parameter)))) {
    return No("a variable cannot have the parameter's type");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst parameter = module.Find(message.parameter);
  const Function function = module.FunctionOf(parameter);
  const uint32_t operand = OperandOf(module, parameter);
  const Id type = DeclarePointer(editor, spv::StorageClass::Function, module.Type(parameter));
  const Id pointer = editor.AppendValue(module[function].head, spv::Op::OpFunctionParameter, type,
                                        editor.Made(kPointer), {});
  Facts& facts = editor.facts();
  const Steps* why = facts.Irrelevant(module.Result(parameter));
  if (why != nullptr) facts.SetIrrelevantPointee(pointer, editor.Provenance(*why));
  ChangeCalls(editor, function, [&](Inst call, Args* args) {
    const Id variable = AddVariableToPass(editor, type, module.FunctionOf(call),
                                          editor.Made(kVariable, module.NameOf(call)));
    editor.InsertPlain(call, spv::Op::OpStore, editor.Made(kStore, module.NameOf(call)),
                       {variable, (*args)[operand]});
    if (why != nullptr) facts.SetIrrelevantPointee(variable, editor.Provenance(*why));
    args->erase(args->begin() + operand);
    args->push_back(variable);
  });
  editor.MoveBefore(parameter, AfterVariables(module, function));
  editor.SetOpcode(parameter, spv::Op::OpLoad);
  editor.SetOperands(parameter, {pointer});
  UpdateFunctionType(editor, function);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    for (Inst parameter : ParametersOf(module, function)) {
      if (IsPointer(module, module.Type(parameter)) || !proposer.ShouldTry()) continue;
      const Message message{module.NameOf(parameter)};
      if (Check(message, proposer.view())) proposer.Offer(message);
    }
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60},
     .follow_ons = {"access", "pack_variables", "load_again",
                    "replace_pointer_parameter_with_value"}});

}  // namespace refract::replace_parameter_with_pointer
