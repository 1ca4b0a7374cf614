// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind, wherever it ran: colour targets, storage buffers, storage images.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input/bindings.h"

namespace refract::inline input {

/// What a fragment shader drew to one location: four components a pixel, row by row from the top.
struct ColourTarget {
  uint32_t location = 0;
  /// Rgba8 or Rgba32f for outputs of floats (Bindings::float_target), Rgba32i or Rgba32ui for those
  /// of integers. Components that the shader's output does not have are 0, 0 and, the fourth, 1.
  spv::ImageFormat format = spv::ImageFormat::Rgba8;
  uint32_t width = 0;
  uint32_t height = 0;
  std::string texels;

  friend bool operator==(const ColourTarget&, const ColourTarget&) = default;
};

/// Sets the components of all pixels that are not in `components`, a bit for each that some output
/// of the shader has, to 0, 0, 0 and 1.
void FillMissing(uint32_t components, ColourTarget* target);

struct Outputs {
  std::vector<ColourTarget> targets;  ///< by location
  std::vector<BoundBuffer> buffers;   ///< the storage buffers as the run left them
  std::vector<BoundImage> images;     ///< the storage images likewise

  friend bool operator==(const Outputs&, const Outputs&) = default;
};

}  // namespace refract::inline input
