// SPDX-License-Identifier: Apache-2.0
// The depth target of a run, with what is known about each depth (Vulkan 1.3, "Depth Test").
// Private to this library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "input/bindings.h"
#include "interp/interpreter.h"
#include "interp/ops/float_columns.h"

namespace refract {
inline namespace interp {

class DepthBuffer {
 public:
  DepthBuffer() = default;
  DepthBuffer(const BoundDepth& target, size_t pixels);

  bool exists() const { return static_cast<bool>(target_); }
  /// Whether the order of the fragments of a pixel, or how many there are, can decide what is
  /// drawn.
  bool IsSelective() const { return exists() && target_.compare != BoundImage::kAlways; }

  struct Test {
    bool passes = true;
    /// Not 0: another outcome is possible, because a depth is approximate (kApproximateBit) or
    /// undefined (kUndefinedBit).
    uint32_t open = 0;
  };
  /// Tests a fragment with this depth, and stores the depth if it passes.
  Test TestFragment(size_t pixel, const FloatValue& depth);
  /// Whether the test of a fragment with this exact depth fails before anything is drawn.
  bool FailsAtFirst(double depth) const;
  /// From now on, the depth of the pixel is at least as uncertain as `shadow`.
  void Raise(size_t pixel, uint32_t shadow);

  /// Writes the depths to the last target of the report, which is the depth target.
  void Store(const Bindings& bindings, RunReport* report) const;

 private:
  FloatValue At(size_t pixel) const;
  Test Compare(const FloatValue& depth, const FloatValue& stored) const;

  BoundDepth target_;
  std::vector<float> depths_;
  std::vector<uint32_t> shadows_;  // words as in float_shadow.h; empty: all are exact
};

}  // namespace interp
}  // namespace refract
