// SPDX-License-Identifier: Apache-2.0
// Measures where two images differ: by places, not by how often a level occurs.
#pragma once

#include <cstdint>

#include "image/image.h"

namespace refract {
inline namespace image {

/// Measures of one pair of images with the same size. The order of the images does not matter.
struct SpatialMeasures {
  /// The side, in pixels, of the largest square in which all pixels differ by more than the given
  /// number of levels. Unlike a region, a square is not large because a thin line is long: rounding
  /// may move the border between two colours by a pixel, everywhere along the border.
  uint32_t square = 0;
  /// The lowest structural similarity of a window of kWindow x kWindow pixels, over all channels:
  /// contrast and structure of Wang, Bovik, Sheikh, Simoncelli 2004, with their constant. 1: equal;
  /// -1: inverted. It is computed on the means of blocks of kBlock x kBlock pixels. Otherwise, one
  /// pixel would decide about a window that is flat.
  double similarity = 1;
  /// The largest difference of the means of a window in a channel, in levels.
  double shift = 0;
};

/// The side of the windows. They overlap by half.
inline constexpr uint32_t kWindow = 16;
inline constexpr uint32_t kBlock = 4;

SpatialMeasures MeasureSpatially(const Image& a, const Image& b, uint32_t levels);

}  // namespace image
}  // namespace refract
