// SPDX-License-Identifier: Apache-2.0
// Replaces a parameter by a constant that all calls pass. Together with clone_function, this is how
// compilers specialise a function for a call with a constant.
#include "message/specialize_parameter.h"

#include "ir/types.h"
#include "rules/build/function_type.h"
#include "rules/context_editor.h"
#include "rules/legality/index_range.h"
#include "rules/legality/replaceable_variables.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::specialize_parameter {
namespace {

using Message = message::SpecializeParameter;

CheckResult Check(const Message& message, const View& view) {
  if (const CheckResult v = CheckParameter(view, message.parameter); !v) return v;
  const Module& module = view.module();
  const Inst parameter = module.Find(message.parameter);
  const Id constant = view.Value(message.constant);
  if (constant == Id::kNone || !IsConstant(module.OpcodeOf(constant))) {
    return No("the constant does not exist");
  }
  if (module.TypeOf(constant) != module.Type(parameter) ||
      !IsOrdinary(module, module.Type(parameter))) {
    return No("the constant does not have the parameter's type");
  }
  if (MayPutIndexOutOfRange(module, {{module.Result(parameter), constant}})) {
    return No("with the constant, an index may be out of range");
  }
  const uint32_t operand = OperandOf(module, parameter);
  for (Inst call : CallsOf(module, module.FunctionOf(parameter))) {
    if (module.IdAt(call, operand) == constant) {
      view.DependOn(call, operand);
    } else if (!view.IsDead(module.BlockOf(call))) {
      return No("a call passes another value for the parameter");
    }
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst parameter = module.Find(message.parameter);
  const Id constant = module.FindId(message.constant);
  const Function function = module.FunctionOf(parameter);
  const uint32_t operand = OperandOf(module, parameter);
  ChangeCalls(editor, function, [&](Inst, Args* args) { args->erase(args->begin() + operand); });
  editor.MoveBefore(parameter, AfterVariables(module, function));
  editor.SetOpcode(parameter, spv::Op::OpCopyObject);
  editor.SetOperands(parameter, {constant});
  UpdateFunctionType(editor, function);
  const Id value = module.Result(parameter);
  // No synonym for an irrelevant constant: each use of it can get another value, while all uses of
  // the parameter had the same one.
  if (MayHaveSynonym(editor.view(), value) && MayHaveSynonym(editor.view(), constant)) {
    editor.facts().AddSynonym(Part(value), Part(constant), editor.Provenance());
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    const std::vector<Inst> parameters = ParametersOf(module, function);
    if (parameters.empty()) return;
    const std::vector<Inst> calls = CallsOf(module, function);
    if (calls.empty()) return;
    for (uint32_t i = 0; i < parameters.size(); ++i) {
      const Id passed = module.IdAt(calls[0], i + 1);
      if (!IsConstant(module.OpcodeOf(passed)) || !proposer.ShouldTry()) continue;
      const Message message{module.NameOf(parameters[i]), module.NameOf(passed)};
      if (Check(message, proposer.view())) proposer.Offer(message);
    }
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {60, 100},
     .follow_ons = {"replace_id_with_synonym", "replace_constant_with_opaque_value"}});

}  // namespace refract::specialize_parameter
