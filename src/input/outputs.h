// SPDX-License-Identifier: Apache-2.0
// The outputs of a run on any target: colour targets, storage buffers and storage images.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input/bindings.h"

namespace refract {
inline namespace input {

/// What a fragment shader drew at one location: four components for each pixel, row by row from the
/// top.
struct ColourTarget {
  uint32_t location = 0;
  /// Rgba8 or Rgba32f for outputs of floats (Bindings::float_target), Rgba32i or Rgba32ui for those
  /// of integers. Components that the output of the shader does not have are 0, except that the
  /// fourth is 1.
  spv::ImageFormat format = spv::ImageFormat::Rgba8;
  uint32_t width = 0;
  uint32_t height = 0;
  std::string texels;

  friend bool operator==(const ColourTarget&, const ColourTarget&) = default;
};

/// Sets the components that the outputs of the shader do not have to 0, 0, 0 and 1 in all pixels.
/// `components` has a bit for each component that an output has.
void FillMissing(uint32_t components, ColourTarget* target);

struct Outputs {
  std::vector<ColourTarget> targets;  ///< sorted by location
  std::vector<BoundBuffer> buffers;   ///< the storage buffers after the run
  std::vector<BoundImage> images;     ///< the storage images after the run

  friend bool operator==(const Outputs&, const Outputs&) = default;
};

}  // namespace input
}  // namespace refract
