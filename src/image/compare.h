// SPDX-License-Identifier: Apache-2.0
// Measures how different two images are, and decides whether they agree. There are several
// measures, because each one misses something: the published histogram measures miss positions,
// RMSE misses small regions. Three rules decide by these measures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "image/image.h"

namespace refract {
inline namespace image {

/// The measures of one pair of images. The order of the images does not matter. If the images have
/// different sizes, only the sizes are set: counts are 0 and the other measures are not a number
/// (NaN).
struct Comparison {
  uint32_t width_a = 0, height_a = 0;
  uint32_t width_b = 0, height_b = 0;

  uint64_t pixels = 0;         ///< pixels that differ at all
  uint64_t pixels_over_1 = 0;  ///< pixels with a channel that differs by more than 1 level
  uint32_t max = 0;            ///< largest difference in a channel, including alpha
  /// The number of pixels in the largest region of differing pixels. Regions are 8-connected:
  /// pixels that touch at a corner belong together, so a thin diagonal line is one region.
  uint64_t region = 0;
  uint64_t region_over_8 = 0;  ///< the same for differences of more than 8 levels
  /// The histogram earth mover's distance as Amber defines it. For each channel there are 256 bins;
  /// the absolute running sums of the difference of the normalised histograms are added and divided
  /// by 256. It is the value of the worst channel, from 0 to 255/256.
  double emd = 0;
  double rmse = 0;  ///< root of the mean squared difference over all channels, 0 to 255
  /// The chi-square distance of the normalised histograms p and q of a channel: half the sum of
  /// (p-q)^2/(p+q). It is symmetric, and is the value of the worst channel, from 0 to 1.
  double chi2 = 0;

  bool same_size() const { return width_a == width_b && height_a == height_b; }
};

Comparison Compare(const Image& a, const Image& b);

/// The rules that decide when two images differ. Images of different sizes always differ.
enum class CompareRule {
  kExact,   ///< any pixel differs
  kStable,  ///< a region of 16 or more pixels differs by more than 8 levels, or more than 0.1 % of
            ///< all pixels differ by more than 1
  kHistogram,  ///< the earth mover's distance is over 0.005, Amber's usual tolerance
};

/// "exact", "stable", "histogram", and the rule with such a name.
std::string_view RuleName(CompareRule rule);
std::optional<CompareRule> RuleByName(std::string_view name);

/// True if the images agree under `rule`. They never agree if a measure is not a number.
bool Agree(const Comparison& comparison, CompareRule rule);

/// An image of the differences for people. Where `a` and `b` agree it shows `a` in dim grey; where
/// they differ, yellow (a small difference) to red (a large one); where only one has pixels, blue.
Image DiffImage(const Image& a, const Image& b);

}  // namespace image
}  // namespace refract
