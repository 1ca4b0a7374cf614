// SPDX-License-Identifier: Apache-2.0
// Fetches that other instructions can do: those of a combined image whose texel is known to exist.
// If the texel of a fetch does not exist, the fetch was undefined (Vulkan, "Texel Input
// Operations").
#pragma once

#include "rules/context_editor.h"
#include "rules/legality/image_input.h"
#include "rules/rule.h"

namespace refract {
inline namespace transform {

/// A fetch, and what the inputs say about its image and sampler.
struct KnownFetch {
  const ImageInput* image = nullptr;
  const ImageInput* sampler = nullptr;
  uint32_t level = 0;
};

/// Checks that `fetch` is an OpImageFetch of an image of which the inputs give the size, that it
/// has no offset, and a sampler that does not compare; a sampler apart from the image must not
/// filter linearly. The image must have one level, or the fetch a constant level. Then fills
/// `known`.
CheckResult CheckFetch(const View& view, Inst fetch, KnownFetch* known);

/// The sampled image of a fetch that CheckFetch accepts: the one from which its image was taken, or
/// a copy of it under the name `copy`, because an OpSampledImage is used only in its block.
Id SampledImageOf(ContextEditor& editor, Inst fetch, Name copy);

/// Computes the normalised coordinates of the texel of a fetch that CheckFetch accepts: of its
/// centre, or of its highest corner if `corner` is true. `role` is the first of three roles for
/// intermediate results.
Id PlaceOfTexel(ContextEditor& editor, Inst fetch, const KnownFetch& known, bool corner,
                uint64_t role);

}  // namespace transform
}  // namespace refract
