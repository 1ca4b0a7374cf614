// SPDX-License-Identifier: Apache-2.0
// Adds a second entry point for a function. It is listed last, so that tools that take the first
// entry point still take the original one.
#include "message/add_entry_point.h"

#include "base/text.h"
#include "ir/call_graph.h"
#include "rules/build/copies.h"
#include "rules/rule.h"
#include "transform/function/entry_points.h"

namespace refract::add_entry_point {
namespace {

using Message = message::AddEntryPoint;
enum Role : uint64_t { kCopy = 1, kEnd = 2, kEntry = 3, kMode = 4 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Function function = view.FunctionNamed(message.function);
  if (function == Function::kNone || EntryOf(module, function) == Inst::kNone) {
    return No("the function is not an entry point");
  }
  if (const CheckResult v = CheckEntryName(module, message.name); !v) return v;
  return MayCopyFunction(module, function);
}

void CopyModes(ContextEditor& editor, Id from, Id to) {
  const Module& module = editor.module();
  std::vector<Inst> modes;
  ForEachInstruction(module, Module::SectionBlock(Section::kExecutionModes), [&](Inst inst) {
    if (module.OperandCount(inst) > 0 && module.IdAt(inst, 0) == from) modes.push_back(inst);
  });
  for (Inst mode : modes) {
    Args args{to};
    for (uint32_t i = 1; i < module.OperandCount(mode); ++i) {
      args.push_back(module.IsId(mode, i) ? Arg(module.IdAt(mode, i)) : Arg(module.Word(mode, i)));
    }
    editor.AppendPlain(Module::SectionBlock(Section::kExecutionModes), module.Opcode(mode),
                       editor.Made(kMode, module.NameOf(mode)), args);
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Function function = editor.view().FunctionNamed(message.function);
  const Inst like = EntryOf(module, function);
  const Function copy = CopyFunction(editor, function, kCopy, editor.Made(kEnd));
  Args args{module.Word(like, 0), module.FunctionId(copy)};
  AppendString(message.name, &args);
  uint32_t next = 2;
  StringOperand(module, like, 2, &next);
  for (; next < module.OperandCount(like); ++next) args.push_back(module.IdAt(like, next));
  editor.AppendPlain(Module::SectionBlock(Section::kEntryPoints), spv::Op::OpEntryPoint,
                     editor.Made(kEntry), args);
  CopyModes(editor, module.FunctionId(function), module.FunctionId(copy));
}

void Propose(Proposer& proposer) {
  // Few, because each adds a copy of its body to the module, and known inputs cannot be used in
  // functions that several entry points reach.
  constexpr size_t kMostEntries = 2, kMostInstructions = 600;
  const Module& module = proposer.module();
  const std::vector<EntryPoint> entries = EntryPoints(module);
  if (entries.empty() || entries.size() >= kMostEntries || !proposer.ShouldTry()) return;
  const EntryPoint& entry = entries[proposer.Pick(entries.size())];
  size_t count = 0;
  ForEachBlock(module, entry.function,
               [&](Block block) { ForEachInstruction(module, block, [&](Inst) { ++count; }); });
  const Message message{module.NameOf(module[entry.function].definition),
                        format("other_{}", proposer.Pick(1000))};
  if (count <= kMostInstructions && Check(message, proposer.view())) proposer.Offer(message);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {30, 80}, .follow_ons = {"set_function_control"}});

}  // namespace refract::add_entry_point
