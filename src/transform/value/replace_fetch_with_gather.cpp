// SPDX-License-Identifier: Apache-2.0
// Replaces a fetch by gathers, one for each component of its texel. The coordinates are those of
// the corner that the texel shares with the next ones: the four texels around it are the footprint
// of the gather, and its last component is the texel itself (Vulkan, "Texel Gathering"). The corner
// is half a texel away from where another footprint begins, which is more than all roundings.
#include "message/replace_fetch_with_gather.h"

#include <vector>

#include "ir/image_operands.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "transform/value/texel_centre.h"

namespace refract::replace_fetch_with_gather {
namespace {

using Message = message::ReplaceFetchWithGather;
using spv::Op;
enum Role : uint64_t { kSampledImage = 1, kPlace = 2, kGathered = 5, kTaken = 6 };

constexpr uint32_t kComponents = 4;
constexpr uint32_t kOwnTexel = 3;  // the component of a gather with the texel that is not shifted

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.fetch);
  KnownFetch known;
  if (CheckResult fetch = CheckFetch(view, inst, &known); !fetch) return fetch;
  if (AccessedImageOf(module, inst).dim != spv::Dim::Dim2D) return No("the image is not 2D");
  if (known.image->levels != 1) return No("the image has several levels");
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.fetch);
  KnownFetch known;
  (void)CheckFetch(editor.view(), inst, &known);
  const Id type = module.Type(inst), result = module.Result(inst);
  const Id combined = SampledImageOf(editor, inst, editor.Made(kSampledImage));
  const Id place = PlaceOfTexel(editor, inst, known, true, kPlace);
  Builder builder(editor, inst, result);
  Args components;
  for (uint32_t i = 0; i < kComponents; ++i) {
    const Id component = Declare(editor, ScalarConstant(IntType(32, true), i));
    const Id gathered = builder.Compute(Op::OpImageGather, type, editor.Made(kGathered, i),
                                        {combined, place, component});
    editor.CopyValueDecorations(result, gathered);
    components.push_back(
        builder.Extract(*Part(gathered).Component(kOwnTexel), editor.Made(kTaken, i)));
  }
  editor.RemoveDecorations(result);
  editor.SetOpcode(inst, Op::OpCompositeConstruct);
  editor.SetOperands(inst, components);
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
    {.chance = {10, 50}, .follow_ons = {"expand_gather", "combine_sampler_again"}});

}  // namespace refract::replace_fetch_with_gather
