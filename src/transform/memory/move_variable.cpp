// SPDX-License-Identifier: Apache-2.0
// Moves a variable after another one. Compilers number, place and promote variables in the order in
// which they find them.
#include "message/move_variable.h"

#include <algorithm>
#include <vector>

#include "ir/grammar/operand_rules.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::move_variable {
namespace {

using Message = message::MoveVariable;

bool IsVariable(const Module& module, Inst inst) {
  return module.Opcode(inst) == spv::Op::OpVariable;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst variable = view.Find(message.variable);
  const Inst past = view.Find(message.past);
  if (variable == Inst::kNone || past == Inst::kNone) return No("a variable does not exist");
  if (!IsVariable(module, variable) || !IsVariable(module, past)) {
    return No("one of the two ids is not a variable");
  }
  if (module.BlockOf(variable) != module.BlockOf(past)) {
    return No("the two variables are in different scopes");
  }
  if (variable == past || !module.Precedes(variable, past)) return Yes();  // already after `past`
  const Id id = module.Result(variable);
  for (Use use = module.FirstUse(id); use != Use::kNone; use = module.NextUse(use)) {
    // An initialiser may be the address of another variable.
    const Inst user = module.User(use);
    if (module.BlockOf(user) == module.BlockOf(past) && !module.Precedes(past, user)) {
      return No("an instruction between the two variables uses the variable to move");
    }
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst variable = module.Find(message.variable);
  const Inst past = module.Find(message.past);
  if (variable == past || !module.Precedes(variable, past)) return;
  const Inst next = module.Next(past);
  if (next != Inst::kNone) {
    editor.MoveBefore(variable, next);
    return;
  }
  // `past` is the last declaration: move the variable before `past`, then `past` before it.
  editor.MoveBefore(variable, past);
  editor.MoveBefore(past, variable);
}

// `variables` are in the order of the module.
void ProposeAmong(Proposer& proposer, const std::vector<Inst>& variables) {
  constexpr size_t kFurthest = 6;
  const Module& module = proposer.module();
  for (size_t i = 0; i + 1 < variables.size(); ++i) {
    if (!proposer.ShouldTry()) continue;
    const size_t most = std::min(kFurthest, variables.size() - 1 - i);
    const Message message{module.NameOf(variables[i]),
                          module.NameOf(variables[i + 1 + proposer.Pick(most)])};
    if (Check(message, proposer.view())) proposer.Offer(message);
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::vector<Inst> variables;
  ForEachGlobalVariable(module, [&](Inst inst) { variables.push_back(inst); });
  std::sort(variables.begin(), variables.end(),
            [&](Inst a, Inst b) { return module.Precedes(a, b); });
  ProposeAmong(proposer, variables);
  ForEachFunction(proposer, [&](Function function) {
    if (module[function].first == Block::kNone) return;
    variables.clear();
    // The variables come first in the block (SPIR-V 2.16.1).
    for (Inst inst = module.Next(module.Label(module[function].first));
         IsVariable(module, inst) || IsDebugInstruction(module, inst); inst = module.Next(inst)) {
      if (IsVariable(module, inst)) variables.push_back(inst);
    }
    ProposeAmong(proposer, variables);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {2, 20}});

}  // namespace refract::move_variable
