// SPDX-License-Identifier: Apache-2.0
// Makes a vector from components of two vectors.
#include "message/vector_shuffle.h"

#include <algorithm>

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::vector_shuffle {
namespace {

using Message = message::VectorShuffle;
enum Role : uint64_t { kResult = 1 };

constexpr uint32_t kUndefined = 0xffffffffu;  // SPIR-V 3.42.12, OpVectorShuffle

// The number of components of a vector; 0 for anything else.
uint32_t Size(const Module& module, Id vector) {
  const Id type = module.TypeOf(vector);
  return IsVector(module, type) ? PartCount(module, type).value_or(0) : 0;
}

message::Type ResultType(const Module& module, Id vector, size_t count) {
  return VectorType(Describe(module, ElementType(module, module.TypeOf(vector))),
                    static_cast<uint32_t>(count));
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpVectorShuffle, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Id vectors[] = {view.Value(message.first), view.Value(message.second)};
  for (Id vector : vectors) {
    if (vector == Id::kNone) return No("a vector does not exist");
    if (!IsAvailable(module, vector, before)) {
      return No("a vector is not available at the insertion point");
    }
    if (Size(module, vector) == 0 || !IsOrdinary(module, module.TypeOf(vector))) {
      return No("an operand is not a vector of a supported type");
    }
  }
  if (ElementType(module, module.TypeOf(vectors[0])) !=
      ElementType(module, module.TypeOf(vectors[1]))) {
    return No("the vectors have different component types");
  }
  if (message.components.size() < 2 || message.components.size() > 4) {
    return No("the number of components must be 2 to 4");
  }
  const uint32_t count = Size(module, vectors[0]) + Size(module, vectors[1]);
  for (uint32_t component : message.components) {
    if (component >= count && component != kUndefined) {
      return No("a component index is out of range");
    }
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Id first = module.FindId(message.first);
  const Id type = Declare(editor, ResultType(module, first, message.components.size()));
  Builder(editor, module.Find(message.before))
      .Shuffle(type, editor.Made(kResult), first, module.FindId(message.second),
               message.components);
}

// Picks two vectors with the same component type, which may be the same vector.
bool PickVectors(Proposer& proposer, std::vector<Id> near, Id* first, Id* second) {
  const Module& module = proposer.module();
  std::erase_if(near, [&](Id id) { return Size(module, id) == 0; });
  if (near.empty()) return false;
  *first = near[proposer.Pick(near.size())];
  const Id element = ElementType(module, module.TypeOf(*first));
  std::erase_if(near, [&](Id id) { return ElementType(module, module.TypeOf(id)) != element; });
  *second = near[proposer.Pick(near.size())];
  return true;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  OfferAtInsertionPoints(proposer, spv::Op::OpVectorShuffle, [&](Inst before) {
    Id first = Id::kNone, second = Id::kNone;
    if (!PickVectors(proposer, ValuesNear(module, before, 48), &first, &second)) return;
    Message message{module.NameOf(before), module.NameOf(first), module.NameOf(second), {}};
    const uint32_t count = Size(module, first) + Size(module, second);
    const size_t size = 2 + proposer.Pick(3);
    // One third of the shuffles keep the first vector in order and append components of the other;
    // the rest mix components.
    const bool in_order = proposer.Pick(3) == 0;
    for (uint32_t i = 0; i < size; ++i) {
      uint32_t component = static_cast<uint32_t>(proposer.Pick(count));
      if (in_order && i < Size(module, first)) component = i;
      if (proposer.Pick(12) == 0) component = kUndefined;
      message.components.push_back(component);
    }
    proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 10},
     .follow_ons = {"composite_extract", "replace_id_with_synonym", "undefine_component",
                    "replace_operand_with_undef"}});

}  // namespace refract::vector_shuffle
