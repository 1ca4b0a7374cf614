// SPDX-License-Identifier: Apache-2.0
// Loads a value again. Memory is known to hold a value after a load or a store of it, until
// something may write there.
#include "message/load_again.h"

#include <vector>

#include "ir/availability.h"
#include "rules/legality/memory.h"
#include "rules/legality/memory_places.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::load_again {
namespace {

using Message = message::LoadAgain;
enum Role : uint64_t { kLoad = 1 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpLoad, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Inst inst = view.Find(message.access);
  if (inst == Inst::kNone) return No("the load or store does not exist");
  const Id pointer = view.Value(message.pointer);
  if (pointer == Id::kNone) return No("the pointer does not exist");
  return MayLoadAgain(view, inst, pointer, before);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const ValueAccess access = ValueAccessOf(module, module.Find(message.access));
  const Id loaded =
      editor.InsertValue(module.Find(message.before), spv::Op::OpLoad, module.TypeOf(access.value),
                         editor.Made(kLoad), {module.FindId(message.pointer)});
  editor.facts().AddSynonym(Part(loaded), Part(access.value), editor.Provenance());
}

void Offer(Proposer& proposer, Inst inst) {
  const Module& module = proposer.module();
  const ValueAccess access = ValueAccessOf(module, inst);
  // Cheap checks first, because most memory can be written by others.
  if (!MayHaveSynonym(proposer.view(), access.value) ||
      MayBeOverwritten(proposer.view(), access.pointer) ||
      !MayLoad(module, access.pointer, false)) {
    return;
  }
  for (int tries = 0; tries < 3; ++tries) {
    const Inst before = PickInsertionPointAfter(proposer, inst);
    const std::vector<Id> others = OtherPointersTo(module, access.pointer, before);
    const Id pointer = others.empty() ? access.pointer : others[proposer.Pick(others.size())];
    const Message message{module.NameOf(before), module.NameOf(inst), module.NameOf(pointer)};
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
    {.chance = {4, 30},
     .follow_ons = {"replace_id_with_synonym", "move_instruction_down", "keep_values_alive"}});

}  // namespace refract::load_again
