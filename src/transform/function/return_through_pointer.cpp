// SPDX-License-Identifier: Apache-2.0
// Returns a value through a pointer. Each return writes the value, and the caller reads it directly
// after the call. The load takes over the name of the call, which gets another name.
#include "message/return_through_pointer.h"

#include <vector>

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/function_type.h"
#include "rules/context_editor.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::return_through_pointer {
namespace {

using Message = message::ReturnThroughPointer;
enum Role : uint64_t { kPointer = 1, kVariable = 2, kStore = 3, kCall = 4 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Function function = view.FunctionNamed(message.function);
  if (const CheckResult v = MayChangeFunctionType(module, function); !v) return v;
  if (!MayBeVariable(module, module.Type(module[function].definition))) {
    return No("a variable cannot have the result type of the function");
  }
  if (ParametersOf(module, function).size() >= kMostParameters) {
    return No("the function has too many parameters");
  }
  return Yes();
}

void StoreAtReturns(ContextEditor& editor, Function function, Id pointer) {
  const Module& module = editor.module();
  std::vector<Block> returns;
  ForEachBlock(module, function, [&](Block block) {
    if (module.Opcode(module.Terminator(block)) == spv::Op::OpReturnValue) returns.push_back(block);
  });
  for (Block block : returns) {
    const Inst end = module.Terminator(block);
    editor.InsertPlain(end, spv::Op::OpStore, editor.Made(kStore, module.NameOf(end)),
                       {pointer, module.IdAt(end, 0)});
    editor.SetTerminator(block, spv::Op::OpReturn, {});
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Function function = editor.view().FunctionNamed(message.function);
  const Inst definition = module[function].definition;
  const Id type = module.Type(definition);
  const Id pointer_type = DeclarePointer(editor, spv::StorageClass::Function, type);
  const Id nothing = editor.Declare(spv::Op::OpTypeVoid, Id::kNone, {});
  const Id pointer = editor.AppendValue(module[function].head, spv::Op::OpFunctionParameter,
                                        pointer_type, editor.Made(kPointer), {});
  ChangeCalls(editor, function, [&](Inst call, Args* args) {
    const Id value = module.Result(call);
    const Name name = module.NameOf(call);
    const Id variable = AddVariableToPass(editor, pointer_type, module.FunctionOf(call),
                                          editor.Made(kVariable, name));
    args->push_back(variable);
    const Id called = editor.Displace(call, editor.Made(kCall, name));
    editor.YieldAs(module.Next(call), value, name, spv::Op::OpLoad, type, {variable});
    editor.CopyValueDecorations(called, value);
    editor.RemoveDecorations(called);
    editor.SetType(call, nothing);
    const Inst load = module.Definition(value);
    editor.MarkMadeOf(load, module[call].copy_of);
    editor.MarkMadeOf(call, load);
    if (const Steps* why = editor.facts().Irrelevant(value)) {
      editor.facts().SetIrrelevantPointee(variable, editor.Provenance(*why));
    }
  });
  StoreAtReturns(editor, function, pointer);
  editor.SetType(definition, nothing);
  UpdateFunctionType(editor, function);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    const Message message{module.NameOf(module[function].definition)};
    if (Check(message, proposer.view()) && proposer.ShouldTry()) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 70}, .follow_ons = {"inline_function", "load_again", "pack_variables"}});

}  // namespace refract::return_through_pointer
