// SPDX-License-Identifier: Apache-2.0
// Sets the function control of a function.
#include "message/set_function_control.h"

#include "ir/purity.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::set_function_control {
namespace {

using Message = message::SetFunctionControl;

// SPIR-V 3.24, Function Control.
constexpr uint32_t kInline = 0x1, kDontInline = 0x2;
constexpr uint32_t kHints = kInline | kDontInline;

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Function function = view.FunctionNamed(message.function);
  if (function == Function::kNone) return No("the function does not exist");
  const uint32_t old_control = module.Word(module[function].definition, 0);
  if ((message.control & ~old_control & ~(kHints | kPromises)) != 0) {
    return No("the function control has an unknown bit");
  }
  if ((message.control & kHints) == kHints) return No("Inline and DontInline are both set");
  return Yes();
}

// Sets only those promises that are true or that the function already has. Other steps, or their
// absence, can make a promise of the message untrue; the rest of the message is still applied.
void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Function function = editor.view().FunctionNamed(message.function);
  const Inst definition = module[function].definition;
  const uint32_t untrue =
      message.control & ~module.Word(definition, 0) & kPromises & ~Purity(module).Proven(function);
  editor.SetOperand(definition, 0, message.control & ~untrue);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  Purity purity(module);
  ForEachFunction(proposer, [&](Function function) {
    if (!proposer.ShouldTry()) return;
    const Inst definition = module[function].definition;
    const uint32_t old_control = module.Word(definition, 0);
    std::vector<uint32_t> choices;
    const uint32_t proven = purity.Proven(function);
    for (const uint32_t promises : {old_control & ~kHints, proven & kPure, proven & kConst, 0u}) {
      for (const uint32_t hints : {0u, kInline, kDontInline}) {
        if ((promises | hints) != old_control) choices.push_back(promises | hints);
      }
    }
    proposer.Offer(Message{module.NameOf(definition), choices[proposer.Pick(choices.size())]});
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {20, 70}});

}  // namespace refract::set_function_control
