// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes images as PNG files in memory.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "image/image.h"

namespace refract {
inline namespace image {

/// Encodes an image, which must have at least one pixel. The file is 8-bit RGBA with a fixed filter
/// and compression and without time or text, so equal images give equal files.
std::string EncodePng(const Image& image);

/// Decodes any PNG with at most 8 bits per channel. Palettes and grey become RGBA; a missing alpha
/// becomes 255. There is no colour management: the values are those of the file. `name` names the
/// file in errors. 16-bit files are refused, because converting them would hide differences.
Result<Image> DecodePng(std::string_view bytes, std::string_view name);

/// The largest width and height that can be read.
constexpr uint32_t kMaxPngSide = 16384;

}  // namespace image
}  // namespace refract
