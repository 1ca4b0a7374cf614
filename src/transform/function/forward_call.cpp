// SPDX-License-Identifier: Apache-2.0
// Adds a function that only calls another one. It is live-safe if that function is. Otherwise, if
// it is called from a dead block, it is dead.
#include "message/forward_call.h"

#include <map>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/copies.h"
#include "rules/build/function_type.h"
#include "rules/rule.h"

namespace refract::forward_call {
namespace {

using Message = message::ForwardCall;
enum Role : uint64_t {
  kFunction = 1,
  kFunctionEnd = 2,
  kParameter = 3,
  kLabel = 4,
  kCall = 5,
  kReturn = 6,
};

CheckResult CheckCall(const Module& module, Inst call) {
  const Function callee = CalleeOf(module, call);
  if (!IsTouchable(module, module.FunctionId(callee))) {
    return No("a decoration on the function forbids the change");
  }
  for (Inst parameter : ParametersOf(module, callee)) {
    if (!IsTouchable(module, module.Result(parameter))) {
      return No("a decoration on a parameter forbids the change");
    }
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst call = view.Find(message.call);
  if (call == Inst::kNone || module.Opcode(call) != spv::Op::OpFunctionCall) {
    return No("the OpFunctionCall does not exist");
  }
  return CheckCall(module, call);
}

// Adds the parameters of the new function and the facts about them. Returns the operands of its
// call.
Args AddParameters(ContextEditor& editor, Function callee, Function forwarder) {
  const Module& module = editor.module();
  Args args{module.FunctionId(callee)};
  std::map<Id, Id> made;
  for (Inst parameter : ParametersOf(module, callee)) {
    const Id id = editor.AppendValue(module[forwarder].head, spv::Op::OpFunctionParameter,
                                     module.Type(parameter),
                                     editor.Made(kParameter, module.NameOf(parameter)), {});
    editor.MarkMadeOf(module.Definition(id), parameter);
    editor.CopyValueDecorations(module.Result(parameter), id);
    made[module.Result(parameter)] = id;
    args.push_back(id);
  }
  for (const auto& [from, to] : made) {
    CopyFacts(editor, from, to, [&](Id id) {
      const auto found = made.find(id);
      if (found != made.end()) return found->second;
      return module.FunctionOf(module.Definition(id)) == Function::kNone ? id : Id::kNone;
    });
  }
  return args;
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst call = module.Find(message.call);
  const Function callee = CalleeOf(module, call);
  const Id type = module.Type(call);
  std::vector<Id> types;
  for (Inst parameter : ParametersOf(module, callee)) types.push_back(module.Type(parameter));
  const Function forwarder =
      StartFunction(editor, type, types, {editor.Made(kFunction), editor.Made(kFunctionEnd)});
  const Args args = AddParameters(editor, callee, forwarder);
  const Block block = editor.AddBlock(forwarder);
  editor.AppendValue(block, spv::Op::OpLabel, Id::kNone, editor.Made(kLabel), {});
  const Id result =
      editor.AppendValue(block, spv::Op::OpFunctionCall, type, editor.Made(kCall), args);
  if (TypeOpcode(module, type) == spv::Op::OpTypeVoid) {
    editor.AppendPlain(block, spv::Op::OpReturn, editor.Made(kReturn), {});
  } else {
    editor.AppendPlain(block, spv::Op::OpReturnValue, editor.Made(kReturn), {result});
  }
  editor.SetOperand(call, 0, module.FunctionId(forwarder));
  Facts& facts = editor.facts();
  if (const Steps* why = facts.Irrelevant(module.Result(call))) {
    facts.SetIrrelevant(result, editor.Provenance(*why));
  }
  if (const Steps* why = facts.LiveSafe(module.FunctionId(callee))) {
    facts.SetLiveSafe(module.FunctionId(forwarder), editor.Provenance(*why));
  } else {
    editor.CopyDeadFacts(module.BlockOf(call), block);
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (CountMadeFunctions(module) >= kManyMadeFunctions) return;
  ForEachFunction(proposer, [&](Function function) {
    for (Inst call : CallsOf(module, function)) {
      if (proposer.ShouldTry() && CheckCall(module, call))
        proposer.Offer(Message{module.NameOf(call)});
    }
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 40},
     .follow_ons = {"inline_function", "set_function_control", "add_parameter"}});

}  // namespace refract::forward_call
