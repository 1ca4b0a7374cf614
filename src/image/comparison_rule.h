// SPDX-License-Identifier: Apache-2.0
// The rules by which two outputs are compared, with their thresholds and with what is known about
// the correct levels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "image/level_bounds.h"

namespace refract {
inline namespace image {

/// The rules that decide when two images differ. Images of different sizes always differ.
enum class CompareRule : uint8_t {
  kExact,    ///< any pixel differs
  kBounded,  ///< a level of the second image is outside of its bounds, or the pixels without bounds
             ///< differ by another rule
  kStable,   ///< a region of 16 or more pixels differs by more than 8 levels, or more than 0.1 % of
             ///< all pixels differ by more than 1
  kSpatial,  ///< a place of the image looks different (Thresholds)
  kHistogram,  ///< the earth mover's distance is over 0.005, Amber's usual tolerance
};

/// "exact", "bounded", "stable", "spatial", "histogram", and the rule with such a name.
std::string_view RuleName(CompareRule rule);
std::optional<CompareRule> RuleByName(std::string_view name);

/// Whether a rule has thresholds.
constexpr bool HasThresholds(CompareRule rule) {
  return rule == CompareRule::kBounded || rule == CompareRule::kSpatial;
}

/// The thresholds of the rules `bounded` and `spatial`. docs/measurements/images.md has the
/// measurement that the defaults come from.
struct Thresholds {
  uint32_t slack = 1;    ///< bounded: a level may be outside of its bounds by this many levels
  uint32_t narrow = 16;  ///< bounded: bounds that are farther apart are not enough for a pixel
  uint32_t levels = 8;   ///< spatial: a pixel differs if a channel differs by more levels
  /// spatial: the images differ if all pixels of a square with this side differ.
  uint32_t square = 4;
  /// spatial: the images differ if the structural similarity of a window is less, from 0 to 1
  /// (SpatialMeasures).
  double similarity = 0.5;
  /// spatial: the images differ if the mean of a channel in a window differs by more levels.
  double shift = 4;

  friend bool operator==(const Thresholds&, const Thresholds&) = default;
};

/// "slack=1,narrow=16,...", all thresholds in the order of the struct.
std::string ThresholdsText(const Thresholds& thresholds);
/// Changes the thresholds that a text like "slack=2,square=6" names. kUsage for an unknown name or
/// a value out of range.
Result<Thresholds> ParseThresholds(std::string_view text, const Thresholds& base = {});

/// A rule with all that it needs.
struct ComparisonRule {
  ComparisonRule() = default;
  ComparisonRule(CompareRule rule) : kind(rule) {}  // NOLINT: a rule without bounds

  CompareRule kind = CompareRule::kExact;
  /// For kBounded: the rule for pixels without narrow bounds, kStable or kSpatial.
  CompareRule rest = CompareRule::kSpatial;
  Thresholds thresholds;
  /// For kBounded: the bounds of each colour target, in the order of Outputs::targets. Null: there
  /// are none, and all pixels are compared by `rest`.
  std::shared_ptr<const std::vector<LevelBounds>> bounds;

  /// The bounds of a colour target; null if nothing is known about it.
  const LevelBounds* BoundsOf(size_t target) const;
};

}  // namespace image
}  // namespace refract
