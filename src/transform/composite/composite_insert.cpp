// SPDX-License-Identifier: Apache-2.0
// Copies a composite and replaces one of its parts.
#include "message/composite_insert.h"

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/legality/parts.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::composite_insert {
namespace {

using Message = message::CompositeInsert;
enum Role : uint64_t { kResult = 1 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpCompositeInsert, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Id composite = view.Value(message.composite);
  if (composite == Id::kNone) return No("the composite does not exist");
  const Id object = view.Value(message.object);
  if (object == Id::kNone) return No("the object to insert does not exist");
  if (!IsOrdinary(module, module.TypeOf(composite))) {
    return No("the type of the composite is not supported");
  }
  if (!IsAvailable(module, composite, before)) {
    return No("the composite is not available at the insertion point");
  }
  if (!IsAvailable(module, object, before)) {
    return No("the object to insert is not available at the insertion point");
  }
  if (message.path.empty()) return No("the list of indices is empty");
  if (message.path.size() > Part::kMaxDepth) return No("the list of indices is too long");
  const Part part = PartAt(module, composite, message.path);
  if (part.value == Id::kNone) return No("the indices do not select a part of the composite");
  if (TypeOfPart(module, part) != module.TypeOf(object)) {
    return No("the object to insert does not have the type of the part");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Part part = PartAt(module, module.FindId(message.composite), message.path);
  Builder(editor, module.Find(message.before))
      .Insert(module.FindId(message.object), part, editor.Made(kResult));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  OfferAtInsertionPoints(proposer, spv::Op::OpCompositeInsert, [&](Inst before) {
    const std::vector<Id> near = ValuesNear(module, before, 48);
    std::vector<Id> composites;
    for (Id id : near) {
      if (PartCount(module, module.TypeOf(id)).value_or(0) != 0) composites.push_back(id);
    }
    if (composites.empty()) return;
    const Id composite = composites[proposer.Pick(composites.size())];
    Message message{module.NameOf(before),
                    {},
                    module.NameOf(composite),
                    RandomPath(proposer, module.TypeOf(composite))};
    const Id type = TypeOfPart(module, PartAt(module, composite, message.path));
    std::vector<Id> objects;
    for (Id id : near) {
      if (module.TypeOf(id) == type) objects.push_back(id);
    }
    if (objects.empty()) return;
    message.object = module.NameOf(objects[proposer.Pick(objects.size())]);
    proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 10},
     .follow_ons = {"composite_extract", "replace_id_with_synonym", "make_vector_access_dynamic",
                    "vector_shuffle", "replace_operand_with_undef"}});

}  // namespace refract::composite_insert
