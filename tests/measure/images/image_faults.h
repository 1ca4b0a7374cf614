// SPDX-License-Identifier: Apache-2.0
// Puts faults into images, as bugs of drivers do, to measure which comparison rules see them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "image/image.h"

namespace refract::measure {

/// The names of the kinds of faults: "shift", "mirror", "hole" and so on.
std::span<const std::string_view> ImageFaultKinds();

/// The image with a fault of that kind, at a place and with a size that `seed` determines. A fault
/// changes at least 16 pixels by more than 8 levels. nullopt if none of 16 random faults of this
/// kind does so: a black image can be mirrored without a change.
std::optional<Image> WithImageFault(const Image& image, size_t kind, uint64_t seed);

}  // namespace refract::measure
