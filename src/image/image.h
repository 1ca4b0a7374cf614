// SPDX-License-Identifier: Apache-2.0
// An image in memory: four 8-bit channels, row by row from the top.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace refract {
inline namespace image {

struct Image {
  uint32_t width = 0;
  uint32_t height = 0;
  /// The red, green, blue and alpha of each pixel: 4 * width * height bytes.
  std::string pixels;

  size_t pixel_count() const { return size_t{width} * height; }
  const uint8_t* pixel(size_t index) const {
    return reinterpret_cast<const uint8_t*>(pixels.data()) + 4 * index;
  }
  uint8_t* pixel(size_t index) { return reinterpret_cast<uint8_t*>(pixels.data()) + 4 * index; }

  friend bool operator==(const Image&, const Image&) = default;
};

/// Makes an image of one colour.
inline Image MakeImage(uint32_t width, uint32_t height, uint8_t red = 0, uint8_t green = 0,
                       uint8_t blue = 0, uint8_t alpha = 0) {
  Image image{width, height, std::string(4 * size_t{width} * height, '\0')};
  for (size_t i = 0; i < image.pixel_count(); ++i) {
    uint8_t* pixel = image.pixel(i);
    pixel[0] = red, pixel[1] = green, pixel[2] = blue, pixel[3] = alpha;
  }
  return image;
}

}  // namespace image
}  // namespace refract
