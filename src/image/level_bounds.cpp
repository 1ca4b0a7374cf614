// SPDX-License-Identifier: Apache-2.0
#include "image/level_bounds.h"

#include <algorithm>

#include "base/text.h"

namespace refract {
inline namespace image {

Image ImageOfBounds(const std::vector<LevelBounds>& bounds, uint32_t width) {
  size_t bytes = 0;
  for (const LevelBounds& one : bounds) bytes = std::max(bytes, one.lowest.size());
  Image image;
  if (bytes == 0) return image;
  for (const LevelBounds& one : bounds) {
    image.pixels += one.empty() ? std::string(bytes, '\0') : one.lowest;
    image.pixels += one.empty() ? std::string(bytes, '\xff') : one.highest;
  }
  image.width = width;
  image.height = static_cast<uint32_t>(image.pixels.size() / 4 / width);
  return image;
}

Result<std::vector<LevelBounds>> BoundsOfImage(const Image& image, uint32_t count,
                                               std::string_view name) {
  if (count == 0 || image.height == 0 || image.height % (uint64_t{2} * count) != 0) {
    return Error{
        format("{}: an image of {} x {} pixels cannot have the lowest and the highest "
               "levels of {} colour targets",
               name, image.width, image.height, count)};
  }
  const size_t bytes = image.pixels.size() / 2 / count;
  std::vector<LevelBounds> bounds;
  for (uint32_t i = 0; i < count; ++i) {
    LevelBounds& one = bounds.emplace_back();
    one.lowest = image.pixels.substr(2 * i * bytes, bytes);
    one.highest = image.pixels.substr((2 * i + 1) * bytes, bytes);
  }
  return bounds;
}

}  // namespace image
}  // namespace refract
