// SPDX-License-Identifier: Apache-2.0
// The entry of the inputs for an image that an instruction accesses (docs/inputs.md).
#pragma once

#include "input/inputs.h"
#include "rules/context.h"

namespace refract {
inline namespace transform {

/// The entry for the image that `image`, an image or a sampled image, was loaded from. Null if the
/// inputs give no image at the set and binding of the variable, and if `image` is not loaded from a
/// variable that is one image. Records dependencies on the steps that put the operands in place.
const ImageInput* InputOfImage(const View& view, Id image);

}  // namespace transform
}  // namespace refract
