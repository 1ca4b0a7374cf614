// SPDX-License-Identifier: Apache-2.0
#include "message/composite_extract.h"

#include "ir/availability.h"
#include "ir/types.h"
#include "transform/values.h"

namespace refract::composite_extract {
namespace {

using Message = message::CompositeExtract;
enum Role : uint64_t { kResult = 1 };

// The part that the path leads to; of type kNone if there is none.
Part PartAt(const Module& module, Id composite, const std::vector<uint32_t>& path) {
  Part part(composite);
  for (uint32_t index : path) {
    const std::optional<Part> next = part.Component(index);
    if (!next || TypeOfPart(module, *next) == Id::kNone) return Part();
    part = *next;
  }
  return part;
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction is not there");
  if (!MayInsertBefore(module, spv::Op::OpCompositeExtract, before)) {
    return No("nothing can be put there");
  }
  const Id composite = view.Value(message.composite);
  if (composite == Id::kNone) return No("the composite is not there");
  if (!IsOrdinary(module, module.TypeOf(composite))) {
    return No("values of this type are not taken apart");
  }
  if (module.OpcodeOf(composite) == spv::Op::OpUndef) return No("the composite is undefined");
  if (!IsAvailable(module, composite, before)) return No("the composite is not available there");
  if (message.path.empty()) return No("the path is empty");
  if (message.path.size() > Part::kMaxDepth) return No("the path is too long");
  if (PartAt(module, composite, message.path).value == Id::kNone) {
    return No("the composite has no such part");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Id composite = module.FindId(message.composite);
  const Part part = PartAt(module, composite, message.path);
  Args args{composite};
  args.insert(args.end(), message.path.begin(), message.path.end());
  const Id result = editor.InsertValue(module.Find(message.before), spv::Op::OpCompositeExtract,
                                       TypeOfPart(module, part), editor.Made(kResult), args);
  if (const Steps* why = editor.facts().Irrelevant(composite)) {
    editor.facts().SetIrrelevant(result, editor.Because(*why));
  } else if (MayHaveSynonym(editor.view(), composite)) {
    editor.facts().AddSynonym(Part(result), part, editor.Because());
  }
}

// Indices down from the type, deeper with even odds.
std::vector<uint32_t> RandomPath(Proposer& proposer, Id type) {
  const Module& module = proposer.module();
  std::vector<uint32_t> path;
  while (path.size() < Part::kMaxDepth) {
    const uint32_t count = PartCount(module, type).value_or(0);
    if (count == 0 || (!path.empty() && proposer.Pick(2) == 0)) break;
    path.push_back(static_cast<uint32_t>(proposer.Pick(count)));
    type = PartType(module, type, path.back());
  }
  return path;
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
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      for (Inst inst = module.Next(module.Label(block)); inst != Inst::kNone;
           inst = module.Next(inst)) {
        if (MayInsertBefore(module, spv::Op::OpCompositeExtract, inst) && proposer.Toss()) {
          offer(OldestPlaceFrom(module, spv::Op::OpCompositeExtract, inst));
        }
      }
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 10}, .follow_ons = {"replace_id_with_synonym", "composite_construct"}});

}  // namespace refract::composite_extract
