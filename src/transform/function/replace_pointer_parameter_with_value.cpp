// SPDX-License-Identifier: Apache-2.0
// Passes the contents of memory instead of a pointer. The function only reads through the pointer,
// and nothing else in it can write to the memory, so it reads the contents at the time of the call.
// The parameter becomes a variable; the new value is the last parameter.
#include "message/replace_pointer_parameter_with_value.h"

#include <algorithm>
#include <vector>

#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/function_type.h"
#include "rules/context_editor.h"
#include "rules/legality/replaceable_variables.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::replace_pointer_parameter_with_value {
namespace {

using Message = message::ReplacePointerParameterWithValue;
enum Role : uint64_t { kValue = 1, kLoad = 2, kStore = 3 };

constexpr auto kFunction = static_cast<uint32_t>(spv::StorageClass::Function);

// True if the function only reads the memory of the parameter, in whole or in part.
bool IsOnlyRead(const Module& module, Id parameter) {
  std::vector<Id> pointers{parameter};
  for (size_t i = 0; i < pointers.size(); ++i) {
    for (const PointerUse& use : UsesInFunctions(module, pointers[i])) {
      const spv::Op opcode = module.Opcode(use.user);
      if (IsAccessChain(opcode) || opcode == spv::Op::OpCopyObject) {
        pointers.push_back(module.Result(use.user));
      } else if (opcode != spv::Op::OpLoad && !IsDebugInstruction(module, use.user)) {
        return false;
      }
    }
  }
  return true;
}

// True if the call passes a variable of the caller to which the function has no other pointer.
bool IsAlone(const Module& module, Inst call, uint32_t operand) {
  const Id passed = module.IdAt(call, operand);
  if (module.OpcodeOf(passed) != spv::Op::OpVariable) return false;
  for (uint32_t i = 1; i < module.OperandCount(call); ++i) {
    if (i != operand && module.IdAt(call, i) == passed) return false;
  }
  return true;
}

CheckResult Check(const Message& message, const View& view) {
  if (const CheckResult v = CheckParameter(view, message.parameter); !v) return v;
  const Module& module = view.module();
  const Inst parameter = module.Find(message.parameter);
  const Id type = module.Type(parameter);
  // In kernels, addresses can be stored anywhere.
  if (!HasCapability(module, spv::Capability::Shader) ||
      HasCapability(module, spv::Capability::Addresses) || !IsPointer(module, type) ||
      StorageClassOf(module, type) != spv::StorageClass::Function ||
      !MayBeVariable(module, ElementType(module, type))) {
    return No(
        "the parameter is not a pointer of storage class Function, or its memory cannot be loaded "
        "as one value");
  }
  if (!IsOnlyRead(module, module.Result(parameter))) {
    return No("the function uses the pointer for other instructions than loads");
  }
  for (Inst call : CallsOf(module, module.FunctionOf(parameter))) {
    if (!IsAlone(module, call, OperandOf(module, parameter))) {
      return No("a call passes a pointer to memory that is accessible in another way");
    }
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst parameter = module.Find(message.parameter);
  const Id pointer = module.Result(parameter);
  const Function function = module.FunctionOf(parameter);
  const uint32_t operand = OperandOf(module, parameter);
  const Id type = ElementType(module, module.Type(parameter));
  const Id value = editor.AppendValue(module[function].head, spv::Op::OpFunctionParameter, type,
                                      editor.Made(kValue), {});
  Facts& facts = editor.facts();
  const Steps* why = facts.IrrelevantPointee(pointer);
  if (why != nullptr) facts.SetIrrelevant(value, editor.Provenance(*why));
  ChangeCalls(editor, function, [&](Inst call, Args* args) {
    const auto passed = static_cast<Id>((*args)[operand].word);
    const Id loaded = editor.InsertValue(call, spv::Op::OpLoad, type,
                                         editor.Made(kLoad, module.NameOf(call)), {passed});
    const Steps* here = why != nullptr ? why : facts.IrrelevantPointee(passed);
    if (here != nullptr) facts.SetIrrelevant(loaded, editor.Provenance(*here));
    args->erase(args->begin() + operand);
    args->push_back(loaded);
  });
  editor.MoveBefore(parameter, module.Next(module.Label(module[function].first)));
  editor.SetOpcode(parameter, spv::Op::OpVariable);
  editor.SetOperands(parameter, {kFunction, DeclareNull(editor, type)});
  editor.InsertPlain(AfterVariables(module, function), spv::Op::OpStore, editor.Made(kStore),
                     {pointer, value});
  UpdateFunctionType(editor, function);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    for (Inst parameter : ParametersOf(module, function)) {
      if (!IsPointer(module, module.Type(parameter)) || !proposer.ShouldTry()) continue;
      const Message message{module.NameOf(parameter)};
      if (Check(message, proposer.view())) proposer.Offer(message);
    }
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60}, .follow_ons = {"access", "load_again", "split_variable"}});

}  // namespace refract::replace_pointer_parameter_with_value
