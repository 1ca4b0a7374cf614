// SPDX-License-Identifier: Apache-2.0
// The copy is called from one place alone, so that other steps may make of it what holds there.
#include "message/clone_function.h"

#include <vector>

#include "ir/decorations.h"
#include "transform/copies.h"
#include "transform/rule.h"
#include "transform/signature.h"

namespace refract::clone_function {
namespace {

using Message = message::CloneFunction;
enum Role : uint64_t { kCopy = 1, kEnd = 2 };

Verdict CheckCall(const Module& module, Inst call) {
  const Function callee = CalleeOf(module, call);
  if (module[callee].first == Block::kNone) return No("the function has no body");
  if (!IsTouchable(module, module.FunctionId(callee))) {
    return No("a decoration says more of the function");
  }
  for (Inst parameter : ParametersOf(module, callee)) {
    if (const Verdict v = MayCopy(module, parameter); !v) return v;
  }
  return MayCopyBody(module, callee);
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst call = view.Find(message.call);
  if (call == Inst::kNone || module.Opcode(call) != spv::Op::OpFunctionCall) {
    return No("there is no such call");
  }
  return CheckCall(module, call);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst call = module.Find(message.call);
  const Function callee = CalleeOf(module, call);
  const Inst definition = module[callee].definition;
  const std::vector<Inst> parameters = ParametersOf(module, callee);
  std::vector<Id> types;
  for (Inst parameter : parameters) types.push_back(module.Type(parameter));
  const Function copy =
      StartFunction(editor, module.Type(definition), types,
                    {editor.Made(kCopy, module.NameOf(definition)), editor.Made(kEnd)});
  editor.SetOperand(module[copy].definition, 0, module.Word(definition, 0));
  editor.MarkCopy(module[copy].definition, definition);
  Copies copies(editor, kCopy);
  for (Inst parameter : parameters) {
    const Id id =
        editor.AppendValue(module[copy].head, spv::Op::OpFunctionParameter, module.Type(parameter),
                           editor.Made(kCopy, module.NameOf(parameter)), {});
    editor.MarkCopy(module.Definition(id), parameter);
    editor.CopyValueDecorations(module.Result(parameter), id);
    copies.MapCopy(module.Result(parameter), id);
  }
  std::vector<Block> blocks;
  ForEachBlock(module, callee, [&](Block block) { blocks.push_back(block); });
  copies.CopyBlocksTo(copy, blocks);
  copies.CarryAllFacts();
  if (const Steps* why = editor.facts().LiveSafe(module.FunctionId(callee))) {
    editor.facts().SetLiveSafe(module.FunctionId(copy), editor.Because(*why));
  }
  editor.SetOperand(call, 0, module.FunctionId(copy));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (CountMadeFunctions(module) >= kManyMadeFunctions) return;
  ForEachFunction(proposer, [&](Function function) {
    const std::vector<Inst> calls = CallsOf(module, function);
    // An only call has the function to itself.
    for (size_t i = 0; calls.size() > 1 && i < calls.size(); ++i) {
      if (proposer.Toss() && CheckCall(module, calls[i])) {
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
