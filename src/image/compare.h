// SPDX-License-Identifier: Apache-2.0
// How far two pictures are apart: several numbers, since each is blind to something (the published
// histogram measures to position, RMSE to small regions), and three rules that make a yes or no of
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "image/image.h"

namespace refract::inline image {

/// All numbers about one pair of pictures of the same size, which may be swapped. Of pictures of
/// different size only the sizes are known: counts are 0 and the measures are not numbers (NaN).
struct Comparison {
  uint32_t width_a = 0, height_a = 0;
  uint32_t width_b = 0, height_b = 0;

  uint64_t pixels = 0;         ///< that differ at all
  uint64_t pixels_over_1 = 0;  ///< with a channel off by more than 1 level
  uint32_t max = 0;            ///< largest difference in a channel, alpha included
  /// Pixels of the largest region of differing pixels. Regions are 8-connected: pixels that touch
  /// at a corner belong together, so that a thin diagonal line is one region.
  uint64_t region = 0;
  uint64_t region_over_8 = 0;  ///< the same, of pixels with a channel off by more than 8 levels
  /// Histogram earth mover's distance as Amber defines it: per channel 256 bins, the absolute
  /// running sums of the difference of the normalised histograms, added up and divided by 256; the
  /// worst channel counts. 0 to 255/256.
  double emd = 0;
  double rmse = 0;  ///< root of the mean squared difference over all channels, 0 to 255
  /// Chi-square distance of the normalised histograms p and q of a channel, sum of (p-q)^2/(p+q)
  /// halved, so 0 to 1 and symmetric; the worst channel counts.
  double chi2 = 0;

  bool same_size() const { return width_a == width_b && height_a == height_b; }
};

Comparison Compare(const Image& a, const Image& b);

/// When two pictures count as different. Different size always does.
enum class CompareRule {
  kExact,      ///< any differing pixel
  kStable,     ///< a region of 16 or more pixels off by more than 8 levels, or over 0.1 % of all
               ///< pixels off by more than 1
  kHistogram,  ///< histogram EMD over 0.005, Amber's usual tolerance
};

/// "exact", "stable", "histogram", and back.
std::string_view RuleName(CompareRule rule);
std::optional<CompareRule> RuleByName(std::string_view name);

/// True if the pictures agree under `rule`. A measure that is not a number never agrees.
bool Agree(const Comparison& comparison, CompareRule rule);

/// A picture for people: where `a` and `b` agree, `a` in dim grey; where they differ, yellow for a
/// small difference to red for a large one. Where only one has pixels: blue.
Image DiffImage(const Image& a, const Image& b);

}  // namespace refract::inline image
