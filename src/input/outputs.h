// SPDX-License-Identifier: Apache-2.0
// The outputs of a run on any target: colour targets, storage buffers and storage images.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "input/bindings.h"

namespace refract {
inline namespace input {

/// The location that stands for the depth target, which comes last. It has the format Rgba32f, and
/// the depth is the first component.
constexpr uint32_t kDepthLocation = 0xffffffffu;

/// What a fragment shader drew at one location: four components for each pixel, row by row from the
/// top.
struct ColourTarget {
  uint32_t location = 0;  ///< or kDepthLocation
  /// Rgba8 or Rgba32f for outputs of floats (Bindings::float_target), Rgba32i or Rgba32ui for those
  /// of integers. Components that the output of the shader does not have are 0, except that the
  /// fourth is 1.
  spv::ImageFormat format = spv::ImageFormat::Rgba8;
  uint32_t width = 0;
  uint32_t height = 0;
  std::string texels;

  friend bool operator==(const ColourTarget&, const ColourTarget&) = default;
};

/// "the output at location 2", or "the depth target".
std::string TargetText(uint32_t location);

/// Sets the components that the outputs of the shader do not have to 0, 0, 0 and 1 in all pixels.
/// `components` has a bit for each component that an output has.
void FillMissing(uint32_t components, ColourTarget* target);

/// The depth target with these depths, row by row from the top; depths that are not given are 0. A
/// zero has no sign, because a driver may lose it where it clamps the depth.
ColourTarget DepthTarget(const Bindings& bindings, std::span<const float> depths);

struct Outputs {
  std::vector<ColourTarget> targets;  ///< sorted by location
  std::vector<BoundBuffer> buffers;   ///< the storage buffers after the run
  std::vector<BoundImage> images;     ///< the storage images after the run

  friend bool operator==(const Outputs&, const Outputs&) = default;
};

}  // namespace input
}  // namespace refract
