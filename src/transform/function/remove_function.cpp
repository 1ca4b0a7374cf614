// SPDX-License-Identifier: Apache-2.0
// Removes a function that nothing calls.
#include "message/remove_function.h"

#include "rules/build/function_type.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::remove_function {
namespace {

using Message = message::RemoveFunction;

// True if something refers to the id besides names and decorations, which are removed with it: for
// example, a non-semantic instruction after all functions would keep an undefined reference.
bool IsMentionedOutside(const Module& module, Id id, Function function) {
  for (Use use = module.FirstUse(id); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    const Block list = module.BlockOf(user);
    const bool is_about = list == Module::SectionBlock(Section::kDebug) ||
                          list == Module::SectionBlock(Section::kAnnotations);
    if (module.FunctionOf(user) == function) continue;
    if (!is_about || module.OperandIndex(use) != 0) return true;
  }
  return false;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Function function = view.FunctionNamed(message.function);
  if (const CheckResult v = MayChangeFunctionType(module, function); !v) return v;
  if (!CallsOf(module, function).empty()) return No("an instruction calls the function");
  bool mentioned = false;
  const auto look = [&](Inst inst) {
    const Id id = module.Result(inst);
    mentioned = mentioned || (id != Id::kNone && IsMentionedOutside(module, id, function));
  };
  ForEachInstruction(module, module[function].head, look);
  ForEachBlock(module, function, [&](Block block) { ForEachInstruction(module, block, look); });
  return mentioned ? No("an instruction outside the function refers to an id of the function")
                   : Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  editor.RemoveFunction(editor.view().FunctionNamed(message.function));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    const Message message{module.NameOf(module[function].definition)};
    if (!MayChangeFunctionType(module, function) || !CallsOf(module, function).empty()) return;
    if (proposer.ShouldTry() && Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {40, 100}});

}  // namespace refract::remove_function
