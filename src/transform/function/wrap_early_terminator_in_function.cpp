// SPDX-License-Identifier: Apache-2.0
// Moves an OpUnreachable, or an OpKill or another end of an invocation, to a new function, which
// the block then calls.
#include "message/wrap_early_terminator_in_function.h"

#include "rules/context_editor.h"
#include "rules/legality/function_exit.h"
#include "rules/rule.h"
#include "rules/uses.h"

namespace refract::wrap_early_terminator_in_function {
namespace {

using Message = message::WrapEarlyTerminatorInFunction;
enum Role : uint64_t { kFunction = 1, kLabel = 2, kEnd = 3, kFunctionEnd = 4, kCall = 5 };

bool IsEarly(spv::Op opcode) {
  return opcode == spv::Op::OpUnreachable || EndsInvocation(opcode);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst terminator = view.Find(message.terminator);
  if (terminator == Inst::kNone || !IsEarly(module.Opcode(terminator))) {
    return No("the OpUnreachable or end of an invocation does not exist");
  }
  return MayExit(view, PlainReturn(module, module.FunctionOf(terminator)), terminator);
}

// Adds a function without parameters whose only block ends with `opcode`.
Function AddWrapper(ContextEditor& editor, spv::Op opcode) {
  const Module& module = editor.module();
  const Id nothing = editor.Declare(spv::Op::OpTypeVoid, Id::kNone, {});
  const Id type = editor.Declare(spv::Op::OpTypeFunction, Id::kNone, {nothing});
  const Function function = editor.AddFunction();
  editor.AppendValue(module[function].head, spv::Op::OpFunction, nothing, editor.Made(kFunction),
                     {0u, type});
  const Block block = editor.AddBlock(function);
  editor.AppendValue(block, spv::Op::OpLabel, Id::kNone, editor.Made(kLabel), {});
  editor.AppendPlain(block, opcode, editor.Made(kEnd), {});
  editor.AppendPlain(module[function].tail, spv::Op::OpFunctionEnd, editor.Made(kFunctionEnd), {});
  return function;
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst terminator = module.Find(message.terminator);
  const Block block = module.BlockOf(terminator);
  const Function function = module[block].function;
  const message::Exit exit = PlainReturn(module, function);
  const Args args = ExitArgs(editor, exit, function);
  const Function wrapper = AddWrapper(editor, module.Opcode(terminator));
  editor.CopyDeadFacts(block, module[wrapper].first);
  editor.InsertValue(terminator, spv::Op::OpFunctionCall, module.Type(module[wrapper].definition),
                     editor.Made(kCall), {module.FunctionId(wrapper)});
  editor.SetTerminator(block, ExitOpcode(module, exit, function), args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst terminator = module.Terminator(block);
      // Skips functions that this transformation has made.
      const bool is_alone =
          module.Prev(terminator) == module.Label(block) && module[function].first == block;
      if (!IsEarly(module.Opcode(terminator)) || is_alone || !proposer.ShouldTry()) return;
      proposer.Offer(Message{module.NameOf(terminator)});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60}, .follow_ons = {"set_function_control", "merge_returns"}});

}  // namespace refract::wrap_early_terminator_in_function
