// SPDX-License-Identifier: Apache-2.0
// Moves a part of the coordinates of a fetch to a constant offset. The texel is the one at the sum
// of both (SPIR-V 3.14, ConstOffset). A fetch outside of the image was undefined before, too.
#include "message/add_fetch_offset.h"

#include <optional>

#include "ir/image_operands.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::add_fetch_offset {
namespace {

using Message = message::AddFetchOffset;
using spv::Op;
enum Role : uint64_t { kCoordinate = 1 };

// Every device allows offsets from -8 to 7 (Vulkan, minTexelOffset and maxTexelOffset).
constexpr uint32_t kLowest = 8, kCount = 16;

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.fetch);
  if (CheckResult still = HasExpectedOpcode(view, inst, static_cast<uint32_t>(Op::OpImageFetch));
      !still) {
    return still;
  }
  const std::optional<ImageOperandList> list = ImageOperandsOf(module, inst);
  if (!list || list->offset != Id::kNone) return No("the fetch already has an offset");
  const AccessedImage image = AccessedImageOf(module, inst);
  const Id type = module.TypeOf(module.IdAt(inst, 1)), scalar = ScalarType(module, type);
  if (image.axes == 0 || ComponentsOf(module, type) != image.axes + (image.arrayed ? 1 : 0)) {
    return No("the image does not allow offsets of this size");
  }
  if (!IsSigned(module, scalar) || Width(module, scalar) != 32) {
    return No("the coordinates are not signed 32-bit ints");
  }
  for (const uint32_t offset : {message.x, message.y, message.z}) {
    if (offset >= kCount) return No("the offset is not from -8 to 7");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.fetch);
  const AccessedImage image = AccessedImageOf(module, inst);
  const Id coordinate = module.IdAt(inst, 1), type = module.TypeOf(coordinate);
  const message::Type scalar = Describe(module, ScalarType(module, type));
  const uint32_t offsets[] = {message.x - kLowest, message.y - kLowest, message.z - kLowest, 0};
  const auto make = [&](uint32_t size) {
    if (size == 1) return ScalarConstant(scalar, offsets[0]);
    message::Constant vector;
    vector.type = VectorType(scalar, size);
    for (uint32_t i = 0; i < size; ++i) {
      vector.parts.push_back(ScalarConstant(scalar, i < image.axes ? offsets[i] : 0));
    }
    return vector;
  };
  const Id taken = Declare(editor, make(ComponentsOf(module, type)));
  // Without a goal: another coordinate could be outside of the image, whoever uses the texel.
  Builder builder(editor, inst);
  const Id rest = builder.Compute(Op::OpISub, type, editor.Made(kCoordinate), {coordinate, taken});
  ImageOperandList list = *ImageOperandsOf(module, inst);
  list.mask |= ImageOperandList::kConstOffset;
  list.offset = Declare(editor, make(image.axes));
  editor.SetOperand(inst, 1, rest);
  editor.SetOperands(inst, WithImageOperands(module, inst, list));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return module.Opcode(inst) == Op::OpImageFetch; };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    Message message{module.NameOf(inst)};
    message.x = static_cast<uint32_t>(proposer.Pick(kCount));
    message.y = static_cast<uint32_t>(proposer.Pick(kCount));
    message.z = static_cast<uint32_t>(proposer.Pick(kCount));
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {30, 100}, .follow_ons = {"fold_fetch_offset"}});

}  // namespace refract::add_fetch_offset
