// SPDX-License-Identifier: Apache-2.0
// Adds the offset of a fetch to its coordinates. The texel is the one at the sum of both (SPIR-V
// 3.14, ConstOffset and Offset).
#include "message/fold_fetch_offset.h"

#include <optional>

#include "ir/image_operands.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/build/formula.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::fold_fetch_offset {
namespace {

using Message = message::FoldFetchOffset;
using spv::Op;
enum Role : uint64_t { kOffset = 1, kCoordinate = 2 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.fetch);
  if (CheckResult still = HasExpectedOpcode(view, inst, static_cast<uint32_t>(Op::OpImageFetch));
      !still) {
    return still;
  }
  const std::optional<ImageOperandList> list = ImageOperandsOf(module, inst);
  if (!list || list->offset == Id::kNone) return No("the fetch has no offset");
  const Id coordinate = module.TypeOf(module.IdAt(inst, 1));
  const Id offset = module.TypeOf(list->offset);
  if (Width(module, ScalarType(module, coordinate)) != 32 ||
      Width(module, ScalarType(module, offset)) != 32) {
    return No("the coordinates and the offset are not 32-bit ints");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.fetch);
  ImageOperandList list = *ImageOperandsOf(module, inst);
  const Id coordinate = module.IdAt(inst, 1), type = module.TypeOf(coordinate);
  const uint32_t size = ComponentsOf(module, type);
  // Without a goal: another coordinate could be outside of the image, whoever uses the texel.
  Builder builder(editor, inst);
  Id offset = list.offset;
  const uint32_t given = ComponentsOf(module, module.TypeOf(offset));
  if (given < size) {  // the layer of an array has no offset
    const message::Type scalar = Describe(module, ScalarType(module, module.TypeOf(offset)));
    std::vector<Id> parts{offset};
    parts.resize(1 + size - given, Declare(editor, ScalarConstant(scalar, 0)));
    offset =
        builder.Construct(Declare(editor, VectorType(scalar, size)), editor.Made(kOffset), parts);
  }
  const Id sum = builder.Compute(Op::OpIAdd, type, editor.Made(kCoordinate), {coordinate, offset});
  list.mask &= ~(ImageOperandList::kConstOffset | ImageOperandList::kOffset);
  list.offset = Id::kNone;
  editor.SetOperand(inst, 1, sum);
  editor.SetOperands(inst, WithImageOperands(module, inst, list));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return module.Opcode(inst) == Op::OpImageFetch; };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{module.NameOf(inst)};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"swap_commutable_operands"}});

}  // namespace refract::fold_fetch_offset
