// SPDX-License-Identifier: Apache-2.0
#include "transform/value/texel_centre.h"

#include <bit>
#include <optional>
#include <vector>

#include "ir/decorations.h"
#include "ir/image_operands.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/uses.h"

namespace refract {
inline namespace transform {
namespace {

using spv::Op;

// The value from which the image of the fetch was taken; kNone if it is not a combined image.
Id CombinedImageOf(const View& view, Inst fetch) {
  const Module& module = view.module();
  view.DependOn(fetch, 0);
  const Inst image = module.Definition(module.IdAt(fetch, 0));
  if (module.Opcode(image) != Op::OpImage) return Id::kNone;
  view.DependOn(image, 0);
  const Id combined = module.IdAt(image, 0);
  const Op opcode = module.OpcodeOf(combined);
  return opcode == Op::OpLoad || opcode == Op::OpSampledImage ? combined : Id::kNone;
}

message::Constant Numbers(const std::vector<float>& numbers) {
  const message::Type scalar = FloatType(32);
  message::Constant constant;
  for (const float number : numbers) {
    constant.parts.push_back(ScalarConstant(scalar, std::bit_cast<uint32_t>(number)));
  }
  if (numbers.size() == 1) return constant.parts[0];
  constant.type = VectorType(scalar, static_cast<uint32_t>(numbers.size()));
  return constant;
}

}  // namespace

CheckResult CheckFetch(const View& view, Inst fetch, KnownFetch* known) {
  const Module& module = view.module();
  if (CheckResult still = HasExpectedOpcode(view, fetch, static_cast<uint32_t>(Op::OpImageFetch));
      !still) {
    return still;
  }
  if (!IsTouchable(module, module.Result(fetch))) {
    return No("a decoration on the result forbids the change");
  }
  const std::optional<ImageOperandList> list = ImageOperandsOf(module, fetch);
  const AccessedImage image = AccessedImageOf(module, fetch);
  if (!list || image.axes == 0) return No("the fetch has other operands than a level");
  if (list->offset != Id::kNone) return No("the fetch already has an offset");
  const Id type = module.TypeOf(module.IdAt(fetch, 1));
  if (ComponentsOf(module, type) != image.axes + (image.arrayed ? 1 : 0) ||
      Width(module, ScalarType(module, type)) != 32) {
    return No("the coordinates are not as many 32-bit ints as the image needs");
  }
  const Id combined = CombinedImageOf(view, fetch);
  if (combined == Id::kNone) return No("no sampler is combined with the image");
  known->image = InputOfImage(view, combined);
  known->sampler = InputOfSampler(view, combined);
  if (known->image == nullptr || known->sampler == nullptr) {
    return No("the inputs do not give the image");
  }
  // Of an image with one level, every other level is undefined.
  std::optional<uint64_t> level = 0;
  if (known->image->levels != 1 && list->lod != Id::kNone) {
    view.DependOn(fetch, list->at + 1);
    level = LiteralValue(module, list->lod);
    if (view.IsIrrelevant(list->lod)) level.reset();
  }
  if (!level) return No("the level is not a constant");
  if (SizeOfLevel(*known->image, *level).size() != image.axes + (image.arrayed ? 1 : 0)) {
    return No("the size of the level is not known");
  }
  if (known->sampler->compare != BoundImage::kNone) return No("the sampler compares depths");
  // A fetch ignores the sampler. Not every device can filter the image's format (Vulkan,
  // VUID-vkCmdDraw-magFilter-04553), and of a sampler apart from the image, nothing else checks it.
  if (known->sampler != known->image && (known->sampler->linear || known->sampler->mip.linear)) {
    return No("the format of the image may have no linear filter");
  }
  if (known->sampler->texel_coordinates)
    return No("the coordinates of the sampler are not normalised");
  known->level = static_cast<uint32_t>(*level);
  return Yes();
}

Id SampledImageOf(ContextEditor& editor, Inst fetch, Name copy) {
  const Module& module = editor.module();
  const Id combined = module.IdAt(module.Definition(module.IdAt(fetch, 0)), 0);
  const Inst old = module.Definition(combined);
  if (module.Opcode(old) != Op::OpSampledImage) return combined;
  const Id image = module.IdAt(old, 0), sampler = module.IdAt(old, 1);
  const Id made =
      editor.InsertValue(fetch, Op::OpSampledImage, module.Type(old), copy, {image, sampler});
  editor.MarkCopy(module.Definition(made), old);
  return made;
}

Id PlaceOfTexel(ContextEditor& editor, Inst fetch, const KnownFetch& known, bool corner,
                uint64_t role) {
  const Module& module = editor.module();
  const Id whole = module.IdAt(fetch, 1), type = module.TypeOf(whole);
  const std::vector<uint32_t> size = SizeOfLevel(*known.image, known.level);
  std::vector<float> shifts, scales;
  for (size_t i = 0; i < size.size(); ++i) {
    const bool is_layer = known.image->arrayed && i + 1 == size.size();
    shifts.push_back(is_layer ? 0.0F : corner ? 1.0F : 0.5F);
    scales.push_back(is_layer ? 1.0F : 1.0F / static_cast<float>(size[i]));
  }
  const message::Type scalar = FloatType(32);
  const Id floats = Declare(
      editor, size.size() == 1 ? scalar : VectorType(scalar, static_cast<uint32_t>(size.size())));
  const Id shift = Declare(editor, Numbers(shifts)), scale = Declare(editor, Numbers(scales));
  const bool is_signed = IsSigned(module, ScalarType(module, type));
  // Without a goal: another place could be the border of a texel, whoever uses the texel.
  Builder builder(editor, fetch);
  const Id converted = builder.Compute(is_signed ? Op::OpConvertSToF : Op::OpConvertUToF, floats,
                                       editor.Made(role), {whole});
  const Id moved = builder.Compute(Op::OpFAdd, floats, editor.Made(role + 1), {converted, shift});
  return builder.Compute(Op::OpFMul, floats, editor.Made(role + 2), {moved, scale});
}

}  // namespace transform
}  // namespace refract
