// SPDX-License-Identifier: Apache-2.0
// Extracts a part of a composite.
#include "message/composite_extract.h"

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/legality/parts.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::composite_extract {
namespace {

using Message = message::CompositeExtract;
enum Role : uint64_t { kResult = 1 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpCompositeExtract, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Id composite = view.Value(message.composite);
  if (composite == Id::kNone) return No("the composite does not exist");
  if (!IsOrdinary(module, module.TypeOf(composite))) {
    return No("extracting parts of values of this type is not supported");
  }
  if (module.OpcodeOf(composite) == spv::Op::OpUndef) return No("the composite is an OpUndef");
  if (!IsAvailable(module, composite, before)) {
    return No("the composite is not available at the insertion point");
  }
  if (message.path.empty()) return No("the list of indices is empty");
  if (message.path.size() > Part::kMaxDepth) return No("the list of indices is too long");
  if (PartAt(module, composite, message.path).value == Id::kNone) {
    return No("the indices do not select a part of the composite");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Part part = PartAt(module, module.FindId(message.composite), message.path);
  Builder(editor, module.Find(message.before)).Extract(part, editor.Made(kResult));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto offer = [&](Inst before) {
    std::vector<Id> near = ValuesNear(module, before, 48);
    std::erase_if(near,
                  [&](Id id) { return PartCount(module, module.TypeOf(id)).value_or(0) == 0; });
    if (near.empty()) return;
    const Id composite = near[proposer.Pick(near.size())];
    proposer.Offer(Message{module.NameOf(before), module.NameOf(composite),
                           RandomPath(proposer, module.TypeOf(composite))});
  };
  OfferAtInsertionPoints(proposer, spv::Op::OpCompositeExtract, offer);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 10},
     .follow_ons = {"replace_id_with_synonym", "composite_construct",
                    "make_vector_access_dynamic"}});

}  // namespace refract::composite_extract
