// SPDX-License-Identifier: Apache-2.0
// The entry of the inputs for an image or sampler that an instruction accesses (docs/inputs.md).
#pragma once

#include <vector>

#include "input/inputs.h"
#include "rules/context.h"

namespace refract {
inline namespace rules {

/// The entry for a global variable that is one image, sampled image or sampler. Null if the inputs
/// give none at its set and binding.
const ImageInput* InputOfVariable(const View& view, Id variable);

/// The entry for the variable that `image`, an image, a sampled image or a sampler, was loaded
/// from. For a sampled image that OpSampledImage makes, this is the entry of its image. Null if the
/// inputs give no entry at the set and binding of the variable, and if `image` is not loaded from a
/// variable that is one image. Records dependencies on the steps that put the operands in place.
const ImageInput* InputOfImage(const View& view, Id image);

/// The entry for the sampler of `combined`, a sampled image; otherwise as InputOfImage.
const ImageInput* InputOfSampler(const View& view, Id combined);

/// Whether the sampler of `combined`, a sampled image, may have coordinates of texels, which forbid
/// offsets (Vulkan, VkSamplerCreateInfo, unnormalizedCoordinates): if the entry of the sampler says
/// so, or if the sampler is not known and any entry does. Records dependencies as InputOfImage.
bool MayHaveTexelCoordinates(const View& view, Id combined);

/// The size of a level as a query yields it; empty if the image does not have the level, or if the
/// entry does not give a size. For a multisampled image, the only level is 0.
std::vector<uint32_t> SizeOfLevel(const ImageInput& image, uint64_t level);

}  // namespace rules
}  // namespace refract
