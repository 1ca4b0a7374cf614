// SPDX-License-Identifier: Apache-2.0
// Stores a value to a new variable and loads it back.
#include "message/push_id_through_variable.h"

#include "ir/availability.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::push_id_through_variable {
namespace {

using Message = message::PushIdThroughVariable;
enum Role : uint64_t { kVariable = 1, kStore = 2, kLoad = 3 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpStore, before)) {
    return No("no instruction can be inserted at this point");
  }
  if (!MayHaveVariables(view, message.storage, module.FunctionOf(before))) {
    return No("a variable of this storage class cannot be added");
  }
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value does not exist");
  if (CheckResult may = MayHaveSynonym(view, value); !may) return may;
  if (!MayBeVariable(module, module.TypeOf(value))) return No("a variable cannot have this type");
  if (!IsAvailable(module, value, before)) {
    return No("the value is not available at the insertion point");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst before = module.Find(message.before);
  const Function function = module.FunctionOf(before);
  const Id value = module.FindId(message.value);
  const Id type = module.TypeOf(value);
  const Id variable = AddVariable(editor, static_cast<spv::StorageClass>(message.storage), function,
                                  type, editor.Made(kVariable), Id::kNone);
  if (message.storage != static_cast<uint32_t>(spv::StorageClass::Function)) {
    editor.AddToInterfaces(variable, function);
  }
  editor.InsertPlain(before, spv::Op::OpStore, editor.Made(kStore), {variable, value});
  const Id loaded =
      editor.InsertValue(before, spv::Op::OpLoad, type, editor.Made(kLoad), {variable});
  editor.facts().AddSynonym(Part(loaded), Part(value), editor.Provenance());
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const bool has_private =
      MayHaveVariables(module, static_cast<uint32_t>(spv::StorageClass::Private));
  const auto offer = [&](Inst before) {
    const std::vector<Id> near = ValuesNear(module, before, 32);
    if (near.empty()) return;
    const Id value = near[proposer.Pick(near.size())];
    const bool is_private = has_private && proposer.Pick(2) == 0;
    const Message message{module.NameOf(before), module.NameOf(value),
                          static_cast<uint32_t>(is_private ? spv::StorageClass::Private
                                                           : spv::StorageClass::Function)};
    if (Check(message, proposer.view())) proposer.Offer(message);
  };
  OfferAtInsertionPoints(proposer, spv::Op::OpStore, offer);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {1, 8}, .follow_ons = {"replace_id_with_synonym", "access", "load_again"}});

}  // namespace refract::push_id_through_variable
