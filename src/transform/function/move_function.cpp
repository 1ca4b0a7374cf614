// SPDX-License-Identifier: Apache-2.0
// Changes the order of functions. A function may be called before its definition (SPIR-V 2.4), so
// the order is free, except that functions without a body come first.
#include "message/move_function.h"

#include <algorithm>
#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::move_function {
namespace {

using Message = message::MoveFunction;

bool HasBody(const Module& module, Function function) {
  return function != Function::kNone && module[function].first != Block::kNone;
}

bool IsAfter(const Module& module, Function function, Function past) {
  while (past != Function::kNone && past != function) past = module.NextFunction(past);
  return past == function;
}

// Non-semantic instructions inside and between functions may refer only to earlier instructions.
bool IsNamedByExtension(const Module& module, Function function) {
  bool named = false;
  const auto look = [&](Inst inst) {
    if (module.Result(inst) == Id::kNone) return;
    ForEachUse(module, module.Result(inst), [&](Use use) {
      const Inst user = module.User(use);
      named |= module.Opcode(user) == spv::Op::OpExtInst && module.FunctionOf(user) != function;
    });
  };
  ForEachInstruction(module, module[function].head, look);
  ForEachBlock(module, function, [&](Block block) { ForEachInstruction(module, block, look); });
  return named;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Function function = view.FunctionNamed(message.function);
  if (!HasBody(module, function) || !HasBody(module, view.FunctionNamed(message.past))) {
    return No("one of the two ids is not a function with a body");
  }
  return IsNamedByExtension(module, function)
             ? No("a non-semantic instruction outside the function refers to an id of the function")
             : Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Function function = editor.view().FunctionNamed(message.function);
  const Function past = editor.view().FunctionNamed(message.past);
  if (!IsAfter(editor.module(), function, past)) editor.MoveFunctionAfter(function, past);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::vector<Function> functions;
  ForEachFunction(module, [&](Function function) {
    if (HasBody(module, function)) functions.push_back(function);
  });
  for (size_t i = 0; i + 1 < functions.size(); ++i) {
    if (!proposer.ShouldTry()) continue;
    const size_t past = i + 1 + proposer.Pick(functions.size() - 1 - i);
    proposer.Offer(Message{module.NameOf(module[functions[i]].definition),
                           module.NameOf(module[functions[past]].definition)});
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {5, 40}});

}  // namespace refract::move_function
