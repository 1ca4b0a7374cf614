// SPDX-License-Identifier: Apache-2.0
// Copies memory with known contents to a new variable and loads them from there.
#include "message/add_copy_memory.h"

#include "ir/availability.h"
#include "rules/legality/memory.h"
#include "rules/legality/memory_places.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::add_copy_memory {
namespace {

using Message = message::AddCopyMemory;
enum Role : uint64_t { kVariable = 1, kCopy = 2, kLoad = 3 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpCopyMemory, before)) {
    return No("no instruction can be inserted at this point");
  }
  if (!MayHaveVariables(view, message.storage, module.FunctionOf(before))) {
    return No("a variable of this storage class cannot be added");
  }
  const Inst inst = view.Find(message.access);
  const ValueAccess access = inst == Inst::kNone ? ValueAccess{} : ValueAccessOf(module, inst);
  if (!access) return No("the instruction is not a load or store");
  if (!MayBeVariable(module, module.TypeOf(access.value))) {
    return No("a variable cannot have this type");
  }
  return MayLoadAgain(view, inst, access.pointer, before);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst before = module.Find(message.before);
  const Function function = module.FunctionOf(before);
  const ValueAccess access = ValueAccessOf(module, module.Find(message.access));
  const Id type = module.TypeOf(access.value);
  const auto storage = static_cast<spv::StorageClass>(message.storage);
  const Id variable =
      AddVariable(editor, storage, function, type, editor.Made(kVariable), Id::kNone);
  if (storage != spv::StorageClass::Function) editor.AddToInterfaces(variable, function);
  editor.InsertPlain(before, spv::Op::OpCopyMemory, editor.Made(kCopy), {variable, access.pointer});
  const Id loaded =
      editor.InsertValue(before, spv::Op::OpLoad, type, editor.Made(kLoad), {variable});
  editor.facts().AddSynonym(Part(loaded), Part(access.value), editor.Provenance());
}

void Offer(Proposer& proposer, Inst inst) {
  const Module& module = proposer.module();
  const bool is_private =
      MayHaveVariables(module, static_cast<uint32_t>(spv::StorageClass::Private)) &&
      proposer.Pick(2) == 0;
  for (int tries = 0; tries < 3; ++tries) {
    const Message message{module.NameOf(PickInsertionPointAfter(proposer, inst)),
                          module.NameOf(inst),
                          static_cast<uint32_t>(is_private ? spv::StorageClass::Private
                                                           : spv::StorageClass::Function)};
    if (!Check(message, proposer.view())) continue;
    proposer.Offer(message);
    return;
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return static_cast<bool>(ValueAccessOf(module, inst)); };
  OfferAtInstructions(proposer, fits, [&](Inst inst) { Offer(proposer, inst); });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 15},
     .follow_ons = {"replace_id_with_synonym", "load_again", "set_memory_operands",
                    "replace_copy_memory_with_load_store"}});

}  // namespace refract::add_copy_memory
