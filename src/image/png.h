// SPDX-License-Identifier: Apache-2.0
// Pictures as PNG files, in memory.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "image/image.h"

namespace refract::inline image {

/// The file's bytes: 8-bit RGBA, fixed filter and compression, no time or text, so that equal
/// pictures are equal files. The picture has at least one pixel.
std::string EncodePng(const Image& image);

/// Reads any PNG of at most 8 bits a channel; palette and grey become RGBA, a missing alpha is 255.
/// No colour management: the numbers are the file's. `name` stands in error messages. 16-bit files
/// are refused, since cutting them down would hide differences.
Result<Image> DecodePng(std::string_view bytes, std::string_view name);

/// Largest width and height that is read.
constexpr uint32_t kMaxPngSide = 16384;

}  // namespace refract::inline image
