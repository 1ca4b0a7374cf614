// SPDX-License-Identifier: Apache-2.0
// Swaps two parameters. Swaps can produce every order, and reduction can remove each swap
// separately.
#include "message/permute_parameters.h"

#include <utility>

#include "rules/build/function_type.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::permute_parameters {
namespace {

using Message = message::PermuteParameters;

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  // Decorated parameters cannot be swapped.
  if (const CheckResult v = CheckParameter(view, message.first); !v) return v;
  if (const CheckResult v = CheckParameter(view, message.second); !v) return v;
  const Inst first = module.Find(message.first), second = module.Find(message.second);
  if (first == second) return No("the two parameters are the same");
  if (module.FunctionOf(first) != module.FunctionOf(second)) {
    return No("the parameters belong to different functions");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  Inst first = module.Find(message.first), second = module.Find(message.second);
  if (module.Precedes(second, first)) std::swap(first, second);
  const Function function = module.FunctionOf(first);
  const uint32_t a = OperandOf(module, first), b = OperandOf(module, second);
  ChangeCalls(editor, function, [&](Inst, Args* args) { std::swap((*args)[a], (*args)[b]); });
  const Block head = module[function].head;
  const Inst behind = module.Next(second);
  editor.MoveBefore(second, first);
  if (behind != Inst::kNone) {
    editor.MoveBefore(first, behind);
  } else if (module.Last(head) != first) {
    // `first` must become the last parameter: move the others before it.
    for (Inst inst = module.Next(first); inst != Inst::kNone; inst = module.Next(first)) {
      editor.MoveBefore(inst, first);
    }
  }
  UpdateFunctionType(editor, function);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    const std::vector<Inst> parameters = ParametersOf(module, function);
    if (parameters.size() < 2 || !proposer.ShouldTry()) return;
    const size_t first = proposer.Pick(parameters.size());
    const size_t second = (first + 1 + proposer.Pick(parameters.size() - 1)) % parameters.size();
    const Message message{module.NameOf(parameters[first]), module.NameOf(parameters[second])};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {20, 70}});

}  // namespace refract::permute_parameters
