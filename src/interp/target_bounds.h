// SPDX-License-Identifier: Apache-2.0
// Collects the level bounds of the 8-bit targets of a run. Private to this library.
#pragma once

#include <cstddef>
#include <vector>

#include "image/level_bounds.h"
#include "input/outputs.h"
#include "interp/levels.h"

namespace refract {
inline namespace interp {

class TargetBounds {
 public:
  TargetBounds() = default;
  /// With `known`, the bounds of a pixel are its texel as it is now; otherwise nothing is known.
  TargetBounds(const std::vector<ColourTarget>& targets, bool known);

  /// Sets the bounds of a pixel to its texels in `targets`, which are those of the constructor.
  void SetToTexels(const std::vector<ColourTarget>& targets, size_t pixel);
  void Set(size_t target, size_t component, const Level& level);
  /// From now on, nothing is known about the pixel. Without targets, does nothing.
  void MarkUncertain(size_t pixel) {
    if (!uncertain_.empty()) uncertain_[pixel] = true;
  }
  /// With `nothing`, nothing is known about any pixel.
  std::vector<LevelBounds> Take(bool nothing);

 private:
  std::vector<LevelBounds> bounds_;
  std::vector<bool> uncertain_;  // by pixel
};

}  // namespace interp
}  // namespace refract
