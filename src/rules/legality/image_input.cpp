// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/image_input.h"

#include <algorithm>
#include <cstddef>

#include "ir/decorations.h"

namespace refract {
inline namespace rules {
namespace {

using spv::Op;

// The variable from which the image is loaded; kNone if not found, and for an array of images.
Id VariableOf(const View& view, Id image) {
  const Module& module = view.module();
  while (true) {
    const Inst inst = module.Definition(image);
    const Op opcode = module.Opcode(inst);
    if (opcode != Op::OpImage && opcode != Op::OpSampledImage && opcode != Op::OpLoad) break;
    view.DependOn(inst, 0);
    image = module.IdAt(inst, 0);
    if (opcode == Op::OpLoad) break;
  }
  return module.OpcodeOf(image) == Op::OpVariable ? image : Id::kNone;
}

}  // namespace

const ImageInput* InputOfVariable(const View& view, Id variable) {
  const Module& module = view.module();
  const Inputs* inputs = view.context().inputs.get();
  if (inputs == nullptr) return nullptr;
  const Inst set = FindDecoration(module, variable, spv::Decoration::DescriptorSet);
  const Inst binding = FindDecoration(module, variable, spv::Decoration::Binding);
  if (set == Inst::kNone || binding == Inst::kNone) return nullptr;
  for (const InputValue& value : inputs->values) {
    if (value.image.has_value() && value.has_binding && value.set == module.Word(set, 2) &&
        value.binding == module.Word(binding, 2)) {
      return &*value.image;
    }
  }
  return nullptr;
}

const ImageInput* InputOfImage(const View& view, Id image) {
  const Id variable = VariableOf(view, image);
  return variable == Id::kNone ? nullptr : InputOfVariable(view, variable);
}

const ImageInput* InputOfSampler(const View& view, Id combined) {
  const Module& module = view.module();
  const Inst inst = module.Definition(combined);
  if (module.Opcode(inst) != Op::OpSampledImage) return InputOfImage(view, combined);
  view.DependOn(inst, 1);
  return InputOfImage(view, module.IdAt(inst, 1));
}

bool MayHaveTexelCoordinates(const View& view, Id combined) {
  const Inputs* inputs = view.context().inputs.get();
  if (inputs == nullptr) return false;
  if (const ImageInput* sampler = InputOfSampler(view, combined); sampler != nullptr) {
    return sampler->texel_coordinates;
  }
  return std::any_of(inputs->values.begin(), inputs->values.end(), [](const InputValue& value) {
    return value.image.has_value() && value.image->texel_coordinates;
  });
}

std::vector<uint32_t> SizeOfLevel(const ImageInput& image, uint64_t level) {
  if (level >= image.levels) return {};
  std::vector<uint32_t> size = image.size;
  // The layers of an array are the same on all levels.
  const size_t sides = size.size() - (image.arrayed && !size.empty() ? 1 : 0);
  for (size_t i = 0; i < sides; ++i) size[i] = std::max(size[i] >> level, 1u);
  return size;
}

}  // namespace rules
}  // namespace refract
