// SPDX-License-Identifier: Apache-2.0
// Combines an image and a sampler a second time, for one use. The result of OpSampledImage must be
// used in its own block (SPIR-V 2.16.1), which holds for the copy before the use.
#include "message/combine_sampler_again.h"

#include "ir/decorations.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::combine_sampler_again {
namespace {

using Message = message::CombineSamplerAgain;
using spv::Op;
enum Role : uint64_t { kSampledImage = 1 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse use = FindUse(view, message.use);
  if (!use) return No("the use does not exist");
  const Id combined = module.IdAt(use.user, use.operand);
  if (module.OpcodeOf(combined) != Op::OpSampledImage) {
    return No("the value is not the result of OpSampledImage");
  }
  // The copy would need NonUniform, too.
  if (!IsTouchable(module, combined)) return No("a decoration on the value forbids a copy");
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse use = FindUse(module, message.use);
  const Inst old = module.Definition(module.IdAt(use.user, use.operand));
  const Id image = module.IdAt(old, 0), sampler = module.IdAt(old, 1);
  const Id made = editor.InsertValue(use.user, Op::OpSampledImage, module.Type(old),
                                     editor.Made(kSampledImage), {image, sampler});
  editor.MarkCopy(module.Definition(made), old);
  editor.SetOperand(use.user, use.operand, made);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) {
    return module.OperandCount(inst) != 0 && module.IsId(inst, 0) &&
           module.OpcodeOf(module.IdAt(inst, 0)) == Op::OpSampledImage;
  };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{DescribeUse(module, inst, 0)};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"set_sample_lod", "expand_gather"}});

}  // namespace refract::combine_sampler_again
