// SPDX-License-Identifier: Apache-2.0
#include "interp/levels.h"

#include <algorithm>
#include <cmath>

namespace refract {
inline namespace interp {
namespace {

// How far a value may be from a level, in levels, and still become it: half a level, and a quarter
// because conversions round.
constexpr double kReach = 0.75;

double Scaled(double value) {
  return 255 * std::clamp(value, 0.0, 1.0);
}

}  // namespace

Level LevelOf(const FloatValue& value) {
  Level result;
  if ((value.note.shadow & kUndefinedBit) != 0) {
    result.shadow = kUndefinedBit;
    return result;
  }
  const double level = std::floor(Scaled(value.value) + 0.5);
  const bool is_nan = math::IsNan(value.value);
  result.level = is_nan ? 0 : static_cast<uint8_t>(level);
  const double low = Scaled(value.value - value.note.error);
  const double high = Scaled(value.value + value.note.error);
  const bool clear = low >= level - 0.25 && high <= level + 0.25;
  if (value.note.exact()) {
    result.near_boundary = !clear;
  } else {
    result.shadow = clear ? 0 : kApproximateBit;
  }
  if (is_nan || math::IsNan(low) || math::IsNan(high)) return result;
  // A level that is exactly kReach away is out of reach, so that the bounds of a value that is
  // clear are equal.
  result.lowest = static_cast<uint8_t>(std::max(0.0, std::floor(low - kReach) + 1));
  result.highest = static_cast<uint8_t>(std::min(255.0, std::ceil(high + kReach) - 1));
  return result;
}

}  // namespace interp
}  // namespace refract
