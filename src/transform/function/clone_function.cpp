// SPDX-License-Identifier: Apache-2.0
// Replaces a called function by a copy at one call. As the copy has only this caller, other steps
// can specialise it.
#include "message/clone_function.h"

#include <vector>

#include "rules/build/copies.h"
#include "rules/build/function_type.h"
#include "rules/rule.h"

namespace refract::clone_function {
namespace {

using Message = message::CloneFunction;
enum Role : uint64_t { kCopy = 1, kEnd = 2 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst call = view.Find(message.call);
  if (call == Inst::kNone || module.Opcode(call) != spv::Op::OpFunctionCall) {
    return No("the OpFunctionCall does not exist");
  }
  return MayCopyFunction(module, CalleeOf(module, call));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst call = module.Find(message.call);
  const Function copy = CopyFunction(editor, CalleeOf(module, call), kCopy, editor.Made(kEnd));
  editor.SetOperand(call, 0, module.FunctionId(copy));
  if (editor.facts().LiveSafe(module.FunctionId(copy)) != nullptr) return;
  // The copy is called only from this block, so it is dead if the block is.
  const Block from = module.BlockOf(call);
  ForEachBlock(module, copy, [&](Block block) { editor.CopyDeadFacts(from, block); });
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (CountMadeFunctions(module) >= kManyMadeFunctions) return;
  ForEachFunction(proposer, [&](Function function) {
    const std::vector<Inst> calls = CallsOf(module, function);
    // Skip functions with only one call, because a copy would have no advantage.
    for (size_t i = 0; calls.size() > 1 && i < calls.size(); ++i) {
      if (proposer.ShouldTry() && MayCopyFunction(module, function)) {
        proposer.Offer(Message{module.NameOf(calls[i])});
      }
    }
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 70},
     .follow_ons = {"specialize_parameter", "remove_function", "set_function_control"}});

}  // namespace refract::clone_function
