// SPDX-License-Identifier: Apache-2.0
// Replaces a copy of a value by a store to a new variable and a load from it.
#include "message/replace_copy_object_with_store_load.h"

#include "ir/decorations.h"
#include "rules/values.h"

namespace refract::replace_copy_object_with_store_load {
namespace {

using Message = message::ReplaceCopyObjectWithStoreLoad;
enum Role : uint64_t { kVariable = 1, kStore = 2 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst copy = view.Find(message.copy);
  if (copy == Inst::kNone) return No("the instruction does not exist");
  if (module.Opcode(copy) != spv::Op::OpCopyObject || !module.IsBasicBlock(module.BlockOf(copy))) {
    return No("the instruction is not an OpCopyObject in a block");
  }
  view.DependOn(copy, 0);
  if (!MayHaveVariables(view, message.storage, module.FunctionOf(copy))) {
    return No("a variable of this storage class cannot be added");
  }
  if (!MayBeVariable(module, module.Type(copy))) return No("a variable cannot have this type");
  if (!IsTouchable(module, module.Result(copy))) {
    return No("a decoration on the value forbids the change");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst copy = module.Find(message.copy);
  const Function function = module.FunctionOf(copy);
  const auto storage = static_cast<spv::StorageClass>(message.storage);
  const Id variable =
      AddVariable(editor, storage, function, module.Type(copy), editor.Made(kVariable), Id::kNone);
  if (storage != spv::StorageClass::Function) editor.AddToInterfaces(variable, function);
  editor.InsertPlain(copy, spv::Op::OpStore, editor.Made(kStore), {variable, module.IdAt(copy, 0)});
  editor.SetOpcode(copy, spv::Op::OpLoad);
  editor.SetOperands(copy, {variable});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const bool has_private =
      MayHaveVariables(module, static_cast<uint32_t>(spv::StorageClass::Private));
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (module.Opcode(inst) != spv::Op::OpCopyObject || !proposer.ShouldTry()) return;
        const bool is_private = has_private && proposer.Pick(2) == 0;
        const Message message{module.NameOf(inst),
                              static_cast<uint32_t>(is_private ? spv::StorageClass::Private
                                                               : spv::StorageClass::Function)};
        if (Check(message, proposer.view())) proposer.Offer(message);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 50},
     .follow_ons = {"load_again", "move_instruction_down", "replace_load_store_with_copy_memory"}});

}  // namespace refract::replace_copy_object_with_store_load
