// SPDX-License-Identifier: Apache-2.0
// Changes how an image sample chooses the level of detail. If the inputs give an image one level
// (docs/inputs.md), every level of detail selects it: Vulkan ("Image Level(s) Selection") clamps
// the level to those of the image view. Samplers have one filter for all levels.
#include "message/set_sample_lod.h"

#include <bit>
#include <optional>

#include "ir/image_operands.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/formula.h"
#include "rules/legality/image_input.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::set_sample_lod {
namespace {

using Message = message::SetSampleLod;
using Form = Message::Form;
using spv::Op;

constexpr uint32_t kCoordinate = 1;
constexpr uint32_t kMostEighths = 128;

struct Pair {
  Op with_implicit, with_explicit;
};
constexpr Pair kPairs[] = {
    {Op::OpImageSampleImplicitLod, Op::OpImageSampleExplicitLod},
    {Op::OpImageSampleDrefImplicitLod, Op::OpImageSampleDrefExplicitLod},
    {Op::OpImageSampleProjImplicitLod, Op::OpImageSampleProjExplicitLod},
    {Op::OpImageSampleProjDrefImplicitLod, Op::OpImageSampleProjDrefExplicitLod},
};

const Pair* PairOf(Op opcode) {
  for (const Pair& pair : kPairs) {
    if (pair.with_implicit == opcode || pair.with_explicit == opcode) return &pair;
  }
  return nullptr;
}

uint32_t SizeOf(const Module& module, Id type) {
  return IsVector(module, type) ? PartCount(module, type).value_or(0) : 1;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.sample);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  const Op opcode = module.Opcode(inst);
  const Pair* pair = PairOf(opcode);
  const std::optional<ImageOperandList> list = ImageOperandsOf(module, inst);
  const AccessedImage image = pair != nullptr ? AccessedImageOf(module, inst) : AccessedImage();
  if (image.axes == 0 || !list) return No("the instruction is not a sample with known operands");
  // GLSL and other languages lack some of these samples, so translators refuse them.
  if (IsDepthComparison(opcode) && (image.arrayed || image.dim == spv::Dim::Cube)) {
    return No("depths of arrays and cubes are sampled only as the module does");
  }
  if (message.eighths > kMostEighths) return No("the level is too large");
  if (message.form == Form::kBias && opcode != pair->with_implicit) {
    return No("a bias needs an implicit level of detail");
  }
  if (message.form == Form::kGradient) {
    const uint32_t size = SizeOf(module, module.TypeOf(module.IdAt(inst, kCoordinate)));
    const bool projects = pair->with_implicit == Op::OpImageSampleProjImplicitLod ||
                          pair->with_implicit == Op::OpImageSampleProjDrefImplicitLod;
    if (projects || size != image.axes + (image.arrayed ? 1 : 0)) {
      return No("a gradient must match the size of the coordinate");
    }
  }
  view.DependOn(inst, 0);
  const ImageInput* input = InputOfImage(view, module.IdAt(inst, 0));
  if (input == nullptr) return No("the inputs do not give the image");
  if (input->levels != 1) return No("the image has several levels");
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  using List = ImageOperandList;
  const Module& module = editor.module();
  const Inst inst = module.Find(message.sample);
  const Pair& pair = *PairOf(module.Opcode(inst));
  const AccessedImage image = AccessedImageOf(module, inst);
  const message::Type scalar =
      Describe(module, ScalarType(module, module.TypeOf(module.IdAt(inst, kCoordinate))));
  const uint64_t bits = std::bit_cast<uint32_t>(static_cast<float>(message.eighths) / 8);
  const Id number = Declare(editor, ScalarConstant(scalar, bits));
  List list = *ImageOperandsOf(module, inst);
  list.mask &= ~(List::kBias | List::kLod | List::kGrad);
  list.bias = list.lod = list.grad[0] = list.grad[1] = Id::kNone;
  switch (message.form) {
    case Form::kBias:
      list.mask |= List::kBias;
      list.bias = number;
      break;
    case Form::kGradient:
      list.mask |= List::kGrad;
      list.grad[0] = list.grad[1] =
          image.axes == 1 ? number
                          : Declare(editor, SplatConstant(VectorType(scalar, image.axes), bits));
      break;
    default:
      list.mask |= List::kLod;
      list.lod = number;
  }
  editor.SetOperands(inst, WithImageOperands(module, inst, list));
  if (message.form != Form::kBias) editor.SetOpcode(inst, pair.with_explicit);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return PairOf(module.Opcode(inst)) != nullptr; };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    Message message{module.NameOf(inst), static_cast<uint32_t>(module.Opcode(inst))};
    message.form = static_cast<Form>(proposer.Pick(3));
    message.eighths = static_cast<uint32_t>(proposer.Pick(kMostEighths + 1));
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {30, 100}, .follow_ons = {"replace_constant_with_uniform"}});

}  // namespace refract::set_sample_lod
