// SPDX-License-Identifier: Apache-2.0
// Floats as levels of 8-bit colours. Private to this library.
#pragma once

#include <cstdint>

#include "interp/ops/float_columns.h"

namespace refract {
inline namespace interp {

/// What is known about one component of a pixel.
struct Level {
  uint8_t level = 0;           ///< the level of the interpreter's own value
  uint8_t lowest = 0;          ///< a correct implementation gives at least this level
  uint8_t highest = 255;       ///< and at most this one
  uint32_t shadow = 0;         ///< kApproximateBit, kUndefinedBit
  bool near_boundary = false;  ///< an exact value that is close to the middle of two levels
};

/// Converts a value to a level (Vulkan, "Conversion From Floating-Point to Normalized
/// Fixed-Point"). A value between two levels may become either, so a value that is less than a
/// quarter of a level from the middle between two levels has both of them as bounds.
Level LevelOf(const FloatValue& value);

}  // namespace interp
}  // namespace refract
