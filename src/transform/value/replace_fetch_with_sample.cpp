// SPDX-License-Identifier: Apache-2.0
// Replaces a fetch by a sample at the centre of its texel. The filter nearest selects the texel in
// which the coordinates are (Vulkan, "Texel Filtering"); they are half a texel away from its
// borders, which is more than all roundings.
#include "message/replace_fetch_with_sample.h"

#include <bit>

#include "ir/image_operands.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "transform/value/texel_centre.h"

namespace refract::replace_fetch_with_sample {
namespace {

using Message = message::ReplaceFetchWithSample;
using spv::Op;
enum Role : uint64_t { kSampledImage = 1, kPlace = 2 };

CheckResult Check(const Message& message, const View& view) {
  KnownFetch known;
  if (CheckResult fetch = CheckFetch(view, view.Find(message.fetch), &known); !fetch) return fetch;
  if (known.sampler->linear) return No("the filter of the sampler is not nearest");
  const MipSampling& mip = known.sampler->mip;
  const auto level = static_cast<float>(known.level);
  // With one level, every level of detail selects it.
  if (known.image->levels != 1 &&
      (mip.linear || mip.bias != 0 || level < mip.min_lod || level > mip.max_lod)) {
    return No("the sampler can choose another level");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.fetch);
  KnownFetch known;
  (void)CheckFetch(editor.view(), inst, &known);
  const Id combined = SampledImageOf(editor, inst, editor.Made(kSampledImage));
  const Id place = PlaceOfTexel(editor, inst, known, false, kPlace);
  const uint64_t level = std::bit_cast<uint32_t>(static_cast<float>(known.level));
  const Id lod = Declare(editor, ScalarConstant(FloatType(32), level));
  editor.SetOpcode(inst, Op::OpImageSampleExplicitLod);
  editor.SetOperands(inst, {combined, place, ImageOperandList::kLod, lod});
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
    {.chance = {20, 80},
     .follow_ons = {"set_sample_lod", "add_unused_coordinates", "combine_sampler_again"}});

}  // namespace refract::replace_fetch_with_sample
