// SPDX-License-Identifier: Apache-2.0
// Writes the places of the four texels of a gather as offsets. Without offsets, a gather returns
// the texels at (0, 1), (1, 1), (1, 0) and (0, 0) from the upper left one. With ConstOffsets, each
// component is the upper left texel of its own offset (SPIR-V 3.14; Vulkan, "Texel Gathering").
#include "message/expand_gather.h"

#include <optional>

#include "ir/image_operands.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/image_input.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::expand_gather {
namespace {

using Message = message::ExpandGather;
using spv::Op;

bool IsGather(Op opcode) {
  return opcode == Op::OpImageGather || opcode == Op::OpImageDrefGather;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.gather);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  if (!IsGather(module.Opcode(inst))) return No("the instruction is not a gather");
  if (!HasCapability(module, spv::Capability::ImageGatherExtended)) {
    return No("the module does not declare the required capability");
  }
  const std::optional<ImageOperandList> list = ImageOperandsOf(module, inst);
  if (!list || list->mask != 0) return No("the gather has image operands");
  if (AccessedImageOf(module, inst).dim != spv::Dim::Dim2D) {
    return No("offsets of gathers need a 2D image");
  }
  view.DependOn(inst, 0);
  if (MayHaveTexelCoordinates(view, module.IdAt(inst, 0))) {
    return No("a sampler with coordinates in texels allows no offsets");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.gather);
  const message::Type scalar = IntType(32, true), pair = VectorType(scalar, 2);
  message::Constant offsets;
  offsets.type.kind = message::Type::Kind::kArray;
  offsets.type.count = 4;
  offsets.type.parts = {pair};
  constexpr uint32_t kPlaces[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (const auto& place : kPlaces) {
    message::Constant& offset = offsets.parts.emplace_back();
    offset.type = pair;
    for (const uint32_t part : place) offset.parts.push_back(ScalarConstant(scalar, part));
  }
  ImageOperandList list = *ImageOperandsOf(module, inst);
  list.mask = ImageOperandList::kConstOffsets;
  list.offset = Declare(editor, offsets);
  editor.SetOperands(inst, WithImageOperands(module, inst, list));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!HasCapability(module, spv::Capability::ImageGatherExtended)) return;
  const auto fits = [&](Inst inst) { return IsGather(module.Opcode(inst)); };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{module.NameOf(inst)};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {30, 100}, .follow_ons = {"combine_sampler_again"}});

}  // namespace refract::expand_gather
