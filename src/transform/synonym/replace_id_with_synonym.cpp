// SPDX-License-Identifier: Apache-2.0
// Replaces a use of a value by a synonym.
#include "message/replace_id_with_synonym.h"

#include "ir/availability.h"
#include "rules/context_editor.h"
#include "rules/legality/index_range.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::replace_id_with_synonym {
namespace {

using Message = message::ReplaceIdWithSynonym;

constexpr size_t kChoices = 8;

// If compilers know the value already, the synonym tells them nothing new.
bool TellsIndexOutOfRange(const Module& module, OperandUse place, Id synonym) {
  return !IsFoldable(module, module.IdAt(place.user, place.operand)) &&
         MayPutIndexOutOfRange(module, place, synonym);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  const Id synonym = view.Value(message.synonym);
  if (synonym == Id::kNone) return No("the synonym does not exist");
  const Id current = module.IdAt(place.user, place.operand);
  if (current == synonym) return No("the operand is already the new value");
  if (module.TypeOf(current) != module.TypeOf(synonym)) {
    return No("the old and the new value have different types");
  }
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  if (!IsAvailableAtUse(module, synonym, place.user, place.operand)) {
    return No("the synonym is not available where the operand is used");
  }
  if (!view.AreSynonymous(Part(current), Part(synonym))) {
    return No("the old and the new value are not known to be equal");
  }
  if (TellsIndexOutOfRange(module, place, synonym)) {
    return No("with the new value, a constant index may be out of range");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  editor.SetOperand(place.user, place.operand, module.FindId(message.synonym));
}

void Offer(Proposer& proposer, Inst user, uint32_t operand) {
  const Module& module = proposer.module();
  const Id current = module.IdAt(user, operand);
  if (!MayBeAnyValue(module, {user, operand})) return;
  std::vector<Id> fitting;
  for (const Facts::Synonym& synonym :
       proposer.view().facts().SynonymsOf(module, Part(current), kChoices)) {
    const Id id = synonym.part.value;
    if (synonym.part.depth == 0 && id != current && module.TypeOf(id) == module.TypeOf(current) &&
        IsAvailableAtUse(module, id, user, operand) &&
        !TellsIndexOutOfRange(module, {user, operand}, id)) {
      fitting.push_back(id);
    }
  }
  if (fitting.empty()) return;
  proposer.Offer(Message{DescribeUse(module, user, operand),
                         module.NameOf(fitting[proposer.Pick(fitting.size())])});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const Facts& facts = proposer.view().facts();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (module.IsId(inst, i) && facts.MayHaveSynonyms(module.IdAt(inst, i)) &&
              proposer.ShouldTry() && !ShouldSkip(proposer, inst)) {
            Offer(proposer, inst, i);
          }
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 50}, .follow_ons = {"add_synonym", "push_id_through_variable"}});

}  // namespace refract::replace_id_with_synonym
