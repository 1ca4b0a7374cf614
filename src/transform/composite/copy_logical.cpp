// SPDX-License-Identifier: Apache-2.0
// Copies a composite to another type with the same parts and back with OpCopyLogical, as front ends
// do for blocks.
#include "message/copy_logical.h"

#include <algorithm>

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::copy_logical {
namespace {

using Message = message::CopyLogical;
using spv::Op;
enum Role : uint64_t { kType = 1, kThere = 2, kBack = 3, kName = 4 };

constexpr uint32_t kVersion14 = 0x00010400;
constexpr uint32_t kMostParts = 16;

bool IsAggregate(const Module& module, Id type) {
  const Op opcode = TypeOpcode(module, type);
  return opcode == Op::OpTypeStruct || opcode == Op::OpTypeArray;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (module.version() < kVersion14) return No("OpCopyLogical requires SPIR-V 1.4");
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, Op::OpCopyLogical, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value does not exist");
  if (CheckResult may = MayHaveSynonym(view, value); !may) return may;
  if (!IsAvailable(module, value, before)) {
    return No("the value is not available at the insertion point");
  }
  if (!IsAggregate(module, module.TypeOf(value))) return No("the value is not a struct or array");
  return Yes();
}

// The OpName and OpMemberName instructions of a type, in order.
std::vector<Inst> NamesOf(const Module& module, Id type) {
  std::vector<Inst> names;
  ForEachUse(module, type, [&](Use use) {
    const Inst user = module.User(use);
    const Op opcode = module.Opcode(user);
    if (opcode == Op::OpName || opcode == Op::OpMemberName) names.push_back(user);
  });
  std::sort(names.begin(), names.end(),
            [&](Inst a, Inst b) { return a != b && module.Precedes(a, b); });
  return names;
}

void CopyNames(ContextEditor& editor, Id from, Id to) {
  const Module& module = editor.module();
  uint64_t number = 0;
  for (const Inst name : NamesOf(module, from)) {
    Args args{to};
    for (uint32_t i = 1; i < module.OperandCount(name); ++i) args.push_back(module.Word(name, i));
    editor.InsertPlain(name, module.Opcode(name), editor.Made(kName, ++number), args);
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Id value = module.FindId(message.value);
  const Inst type = module.Definition(module.TypeOf(value));
  Args parts;
  for (uint32_t i = 0; i < module.OperandCount(type); ++i) parts.push_back(module.IdAt(type, i));
  const Id other =
      editor.DeclareDistinct(module.Opcode(type), Id::kNone, editor.Made(kType), parts);
  if (message.named) CopyNames(editor, module.Result(type), other);
  Builder builder(editor, module.Find(message.before));
  const Id there = builder.Compute(Op::OpCopyLogical, other, editor.Made(kThere), {value});
  const Id back =
      builder.Compute(Op::OpCopyLogical, module.TypeOf(value), editor.Made(kBack), {there});
  editor.facts().AddSynonym(Part(back), Part(value), editor.Provenance());
  const uint32_t count = PartCount(module, other).value();
  for (uint32_t i = 0; i < count && count <= kMostParts; ++i) {
    editor.facts().AddSynonym(*Part(there).Component(i), *Part(value).Component(i),
                              editor.Provenance());
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (module.version() < kVersion14) return;
  OfferAtInsertionPoints(proposer, Op::OpCopyLogical, [&](Inst before) {
    std::vector<Id> near = ValuesNear(module, before, 48);
    std::erase_if(near, [&](Id id) { return !IsAggregate(module, module.TypeOf(id)); });
    if (near.empty()) return;
    // The copy of the type always gets the same names. Mesa distinguishes structs with different
    // names (docs/bugs.md), and this known bug should not be found again every night.
    const Message message{module.NameOf(before), module.NameOf(near[proposer.Pick(near.size())]),
                          true};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 20}, .follow_ons = {"composite_extract", "replace_id_with_synonym"}});

}  // namespace refract::copy_logical
