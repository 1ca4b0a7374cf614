// SPDX-License-Identifier: Apache-2.0
// Measures how different two images are, and decides whether they agree. There are several
// measures, because each one misses something: the published histogram measures miss positions,
// RMSE misses small regions. The rules of comparison_rule.h decide by these measures.
#pragma once

#include <cstdint>
#include <string>

#include "image/comparison_rule.h"
#include "image/image.h"
#include "image/spatial.h"

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
  /// Measured with Thresholds::levels. With bounds, only of the pixels that the bounds do not
  /// decide.
  SpatialMeasures spatial;

  /// What the rule `bounded` counts. Image a is that of the original.
  struct Bounded {
    uint64_t decided = 0;    ///< pixels that the bounds decide: all four are narrow
    uint64_t outside = 0;    ///< pixels of b that are outside of their bounds, although a is inside
    uint64_t outside_a = 0;  ///< pixels of a that are outside; the bounds do not decide them
    uint32_t beyond_a = 0;   ///< the most levels by which a is outside, with or without the slack
    // Of the pixels that the bounds do not decide, for the rule `stable`:
    uint64_t pixels_over_1 = 0, region_over_8 = 0;
  };
  Bounded bounded;

  bool same_size() const { return width_a == width_b && height_a == height_b; }
};

/// Compares the image of an original, `a`, with that of a variant, `b`. `rule` gives the thresholds
/// and, for kBounded, the bounds: those of colour target `target`. The order of the images matters
/// only with bounds.
///
/// BOUNDS. A level is outside if it is more than Thresholds::slack levels away from its bounds.
/// Image a shows whether the bounds hold for the target that made both images. At a pixel where a
/// is outside, they decide nothing. All other pixels of b may then be as far away as a is. If that
/// is more than Thresholds::narrow, the bounds decide nothing in the whole image.
Comparison Compare(const Image& a, const Image& b, const ComparisonRule& rule = {},
                   size_t target = 0);

/// True if the images agree under `rule`, with which they were compared. They never agree if a
/// measure is not a number.
bool Agree(const Comparison& comparison, const ComparisonRule& rule);

/// What the rule found besides the measures, for people: "12 pixels are outside of the bounds of
/// the interpreter". Empty if there is nothing to say.
std::string RuleText(const Comparison& comparison, const ComparisonRule& rule);

/// An image of the differences for people. Where `a` and `b` agree it shows `a` in dim grey; where
/// they differ, yellow (a small difference) to red (a large one); where only one has pixels, blue.
Image DiffImage(const Image& a, const Image& b);

}  // namespace image
}  // namespace refract
