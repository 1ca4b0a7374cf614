// SPDX-License-Identifier: Apache-2.0
// Computes many numbers from one value, for keep_values_alive: few modules have many different
// values that live long.
#include "message/add_numbers.h"

#include <vector>

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/defined.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::add_numbers {
namespace {

using Message = message::AddNumbers;
using Op = spv::Op;
enum Role : uint64_t { kProduct = 1, kNumber = 2 };

constexpr uint32_t kMost = 256;

CheckResult CheckValue(const View& view, Id value) {
  const Module& module = view.module();
  if (value == Id::kNone) return No("the value does not exist");
  const Id type = module.TypeOf(value);
  if (!IsInt(module, type) || Width(module, type) != 32) {
    return No("the value is not a 32-bit integer");
  }
  // Each of its uses might get another value.
  if (view.facts().Irrelevant(value) != nullptr) return No("the value is marked as irrelevant");
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, Op::OpIAdd, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Id value = view.Value(message.value);
  if (const CheckResult v = CheckValue(view, value); !v) return v;
  if (!IsAvailable(module, value, before)) {
    return No("the value is not available at the insertion point");
  }
  if (message.count == 0 || message.count > kMost) {
    return No("the number of values to compute is zero or too large");
  }
  return Yes();
}

// The numbers form a tree. Computing one of them again at its use is then more work than keeping it
// alive, and none is far from the value.
void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst before = module.Find(message.before);
  const Id value = module.FindId(message.value), type = module.TypeOf(value);
  const Id factor = Declare(editor, ScalarConstant(module, type, 5));
  std::vector<Id> numbers{value};
  for (uint32_t i = 1; i <= message.count; ++i) {
    const Id product = editor.InsertValue(before, Op::OpIMul, type, editor.Made(kProduct, i),
                                          {numbers[i / 2], factor});
    numbers.push_back(
        editor.InsertValue(before, Op::OpIAdd, type, editor.Made(kNumber, i),
                           {product, Declare(editor, ScalarConstant(module, type, i))}));
  }
}

uint32_t PickCount(Proposer& proposer) {
  switch (proposer.Pick(8)) {
    case 0:
      return 64 + static_cast<uint32_t>(proposer.Pick(kMost - 63));
    case 1:
    case 2:
    case 3:
      return 16 + static_cast<uint32_t>(proposer.Pick(49));
    default:
      return 1 + static_cast<uint32_t>(proposer.Pick(15));
  }
}

void OfferIn(Proposer& proposer, Block block) {
  const Module& module = proposer.module();
  const Inst before = OldestInsertionPoint(module, Op::OpIAdd, EndOfBlock(module, block));
  std::vector<Id> values = ValuesNear(module, before, 32);
  std::erase_if(values, [&](Id id) {
    return IsConstant(module.OpcodeOf(id)) || !CheckValue(proposer.view(), id);
  });
  for (int tries = 0; tries < 4 && !values.empty(); ++tries) {
    const Id value = values[proposer.Pick(values.size())];
    if (!IsSurelyDefined(proposer.view(), value)) continue;
    const Message message{module.NameOf(before), module.NameOf(value), PickCount(proposer)};
    if (!Check(message, proposer.view())) continue;
    proposer.Offer(message);
    return;
  }
}

// Propose numbers where a function begins and before loops and selections, across which they can be
// kept alive.
void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const bool is_early =
          block == module[function].first || module.MergeInstruction(block) != Inst::kNone;
      if (is_early && proposer.ShouldTry()) OfferIn(proposer, block);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 15}, .follow_ons = {"keep_values_alive"}});

}  // namespace refract::add_numbers
