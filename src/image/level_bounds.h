// SPDX-License-Identifier: Apache-2.0
// The levels that correct implementations may give to the pixels of an 8-bit image. The interpreter
// finds them; the comparison rule `bounded` uses them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "image/image.h"

namespace refract {
inline namespace image {

/// The lowest and the highest level that a correct implementation may give, for each channel of
/// each pixel, in the order of Image::pixels. 0 and 255: nothing is known. Both are empty if
/// nothing is known about the whole image.
struct LevelBounds {
  std::string lowest;
  std::string highest;

  bool empty() const { return lowest.empty(); }
  friend bool operator==(const LevelBounds&, const LevelBounds&) = default;
};

/// The bounds of images of one size as one image: for each, the lowest levels above the highest
/// ones. For empty bounds, these are 0 and 255. An empty image if all bounds are empty.
Image ImageOfBounds(const std::vector<LevelBounds>& bounds, uint32_t width);
/// Makes the bounds of `count` images again. Fails if the height of the image does not fit; `name`
/// names the image in errors.
Result<std::vector<LevelBounds>> BoundsOfImage(const Image& image, uint32_t count,
                                               std::string_view name);

}  // namespace image
}  // namespace refract
