// SPDX-License-Identifier: Apache-2.0
// Passes several arguments in one struct, which becomes the last parameter. The function extracts
// the former parameters at its beginning, under their old names.
#include "message/replace_parameters_with_struct.h"

#include <algorithm>

#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/function_type.h"
#include "rules/context_editor.h"
#include "rules/legality/replaceable_variables.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::replace_parameters_with_struct {
namespace {

using Message = message::ReplaceParametersWithStruct;
enum Role : uint64_t { kStruct = 1, kParameter = 2, kConstruct = 3 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (message.parameters.empty() || message.parameters.size() > kMostParameters) {
    return No("the list of parameters is empty or too long");
  }
  for (size_t i = 0; i < message.parameters.size(); ++i) {
    const Name name = message.parameters[i];
    if (const CheckResult v = CheckParameter(view, name); !v) return v;
    const Inst parameter = module.Find(name);
    if (module.FunctionOf(parameter) != module.FunctionOf(module.Find(message.parameters[0]))) {
      return No("the parameters belong to different functions");
    }
    if (!IsOrdinary(module, module.Type(parameter))) {
      return No("the type of a parameter cannot be a struct member");
    }
    for (size_t j = 0; j < i; ++j) {
      if (message.parameters[j] == name) return No("a parameter is listed twice");
    }
  }
  return Yes();
}

// The struct is irrelevant if all its members are.
void CopyIrrelevance(ContextEditor& editor, const std::vector<Inst>& parts, Id whole) {
  Steps all;
  for (Inst part : parts) {
    const Steps* why = editor.facts().Irrelevant(editor.module().Result(part));
    if (why == nullptr) return;
    MergeSteps(&all, *why);
  }
  editor.facts().SetIrrelevant(whole, editor.Provenance(all));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  std::vector<Inst> parameters;
  for (Name name : message.parameters) parameters.push_back(module.Find(name));
  const Function function = module.FunctionOf(parameters[0]);
  Args members;
  std::vector<uint32_t> operands;
  for (Inst parameter : parameters) {
    members.push_back(module.Type(parameter));
    operands.push_back(OperandOf(module, parameter));
  }
  const Id type =
      editor.DeclareDistinct(spv::Op::OpTypeStruct, Id::kNone, editor.Made(kStruct), members);
  ChangeCalls(editor, function, [&](Inst call, Args* args) {
    std::vector<Id> values;
    for (uint32_t operand : operands) values.push_back(static_cast<Id>((*args)[operand].word));
    Args left;
    for (uint32_t i = 0; i < args->size(); ++i) {
      if (std::find(operands.begin(), operands.end(), i) == operands.end()) {
        left.push_back((*args)[i]);
      }
    }
    left.push_back(Builder(editor, call)
                       .Construct(type, editor.Made(kConstruct, module.NameOf(call)), values));
    *args = left;
  });
  const Id whole = editor.AppendValue(module[function].head, spv::Op::OpFunctionParameter, type,
                                      editor.Made(kParameter), {});
  const Inst where = AfterVariables(module, function);
  for (uint32_t i = 0; i < parameters.size(); ++i) {
    editor.MoveBefore(parameters[i], where);
    editor.SetOpcode(parameters[i], spv::Op::OpCompositeExtract);
    editor.SetOperands(parameters[i], {whole, i});
    const Id value = module.Result(parameters[i]);
    if (MayHaveSynonym(editor.view(), value)) {
      editor.facts().AddSynonym(Part(value), *Part(whole).Component(i), editor.Provenance());
    }
  }
  UpdateFunctionType(editor, function);
  CopyIrrelevance(editor, parameters, whole);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    std::vector<Inst> parameters = ParametersOf(module, function);
    if (parameters.empty() || !proposer.ShouldTry()) return;
    Message message;
    for (Inst parameter : parameters) {
      if (IsOrdinary(module, module.Type(parameter)) && proposer.Pick(3) != 0) {
        message.parameters.push_back(module.NameOf(parameter));
      }
    }
    if (Check(message, proposer.view())) proposer.Offer(std::move(message));
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 70},
     .follow_ons = {"replace_id_with_synonym", "composite_extract", "permute_parameters"}});

}  // namespace refract::replace_parameters_with_struct
