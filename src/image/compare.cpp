// SPDX-License-Identifier: Apache-2.0
#include "image/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/check.h"
#include "base/counted.h"
#include "base/text.h"

namespace refract {
inline namespace image {
namespace {

using Histogram = std::array<int64_t, 256>;

uint8_t LargestDifference(const uint8_t* a, const uint8_t* b) {
  int largest = 0;
  for (int c = 0; c < 4; ++c) largest = std::max(largest, std::abs(int{a[c]} - int{b[c]}));
  return static_cast<uint8_t>(largest);
}

/// The size of the largest 8-connected region of pixels that differ by more than `level`.
uint64_t LargestRegion(std::vector<uint8_t> differences, uint32_t width, uint32_t height,
                       uint8_t level) {
  uint64_t largest = 0;
  std::vector<size_t> open;
  for (size_t start = 0; start < differences.size(); ++start) {
    if (differences[start] <= level) continue;
    uint64_t size = 0;
    differences[start] = 0;  // counted
    open.assign(1, start);
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      ++size;
      const size_t x = at % width, y = at / width;
      for (size_t ny = y - (y > 0); ny <= std::min<size_t>(y + 1, height - 1); ++ny) {
        for (size_t nx = x - (x > 0); nx <= std::min<size_t>(x + 1, width - 1); ++nx) {
          uint8_t& neighbour = differences[ny * width + nx];
          if (neighbour <= level) continue;
          neighbour = 0;
          open.push_back(ny * width + nx);
        }
      }
    }
    largest = std::max(largest, size);
  }
  return largest;
}

Histogram ChannelHistogram(const Image& image, int channel) {
  Histogram histogram{};
  for (size_t i = 0; i < image.pixel_count(); ++i) ++histogram[image.pixel(i)[channel]];
  return histogram;
}

double EarthMover(const Histogram& a, const Histogram& b, size_t pixel_count) {
  // Counts whole pixels and divides only at the end, to avoid rounding.
  int64_t running = 0, total = 0;
  for (int i = 0; i < 256; ++i) {
    running += a[i] - b[i];
    total += std::abs(running);
  }
  return static_cast<double>(total) / (256.0 * static_cast<double>(pixel_count));
}

double ChiSquare(const Histogram& a, const Histogram& b, size_t pixel_count) {
  double sum = 0;
  for (int i = 0; i < 256; ++i) {
    const double difference = static_cast<double>(a[i] - b[i]);
    if (a[i] + b[i] > 0) sum += difference * difference / static_cast<double>(a[i] + b[i]);
  }
  return sum / (2.0 * static_cast<double>(pixel_count));
}

uint8_t DimGrey(const uint8_t* pixel) {
  return static_cast<uint8_t>((pixel[0] * 2 + pixel[1] * 5 + pixel[2]) / 8 / 4);
}

void CountPixels(const Image& a, const Image& b, Comparison* result) {
  std::vector<uint8_t> differences(a.pixel_count());
  uint64_t squares = 0;
  for (size_t i = 0; i < differences.size(); ++i) {
    const uint8_t* p = a.pixel(i);
    const uint8_t* q = b.pixel(i);
    differences[i] = LargestDifference(p, q);
    result->pixels += differences[i] > 0;
    result->pixels_over_1 += differences[i] > 1;
    result->max = std::max<uint32_t>(result->max, differences[i]);
    for (int c = 0; c < 4; ++c) {
      squares += static_cast<uint64_t>((int{p[c]} - int{q[c]}) * (int{p[c]} - int{q[c]}));
    }
  }
  result->rmse =
      std::sqrt(static_cast<double>(squares) / (4.0 * static_cast<double>(a.pixel_count())));
  if (result->pixels > 0) result->region = LargestRegion(differences, a.width, a.height, 0);
  if (result->max > 8) result->region_over_8 = LargestRegion(differences, a.width, a.height, 8);
}

// How far a level is outside of its bounds.
uint32_t Beyond(uint8_t level, uint8_t lowest, uint8_t highest) {
  return level < lowest ? lowest - level : level > highest ? level - highest : 0;
}

/// Decides pixels by the bounds of their levels.
class BoundedPixels {
 public:
  BoundedPixels(const Image& a, const Image& b, const LevelBounds& bounds,
                const Thresholds& thresholds)
      : a_(a), b_(b), bounds_(bounds), thresholds_(thresholds) {}

  /// Fills the counts. Returns b with the levels of a where the bounds decide, so that only the
  /// other pixels still differ.
  Image Decide(Comparison::Bounded* counts) {
    for (size_t i = 0; i < a_.pixel_count(); ++i) {
      const uint32_t beyond = LargestBeyond(a_, i);
      counts->outside_a += beyond > thresholds_.slack;
      counts->beyond_a = std::max(counts->beyond_a, beyond);
    }
    Image rest = b_;
    if (counts->beyond_a > thresholds_.narrow) return rest;
    const uint32_t slack = std::max(thresholds_.slack, counts->beyond_a);
    for (size_t i = 0; i < a_.pixel_count(); ++i) {
      if (LargestBeyond(a_, i) > thresholds_.slack) continue;
      counts->outside += LargestBeyond(b_, i) > slack;
      if (!IsNarrow(i)) continue;
      ++counts->decided;
      std::copy_n(a_.pixel(i), 4, rest.pixel(i));
    }
    return rest;
  }

 private:
  uint8_t Lowest(size_t at) const { return static_cast<uint8_t>(bounds_.lowest[at]); }
  uint8_t Highest(size_t at) const { return static_cast<uint8_t>(bounds_.highest[at]); }
  uint32_t LargestBeyond(const Image& image, size_t pixel) const {
    uint32_t beyond = 0;
    for (size_t c = 0; c < 4; ++c) {
      const size_t at = 4 * pixel + c;
      beyond = std::max(beyond, Beyond(image.pixel(pixel)[c], Lowest(at), Highest(at)));
    }
    return beyond;
  }
  bool IsNarrow(size_t pixel) const {
    for (size_t at = 4 * pixel; at < 4 * pixel + 4; ++at) {
      if (uint32_t{Highest(at)} - Lowest(at) > thresholds_.narrow) return false;
    }
    return true;
  }

  const Image& a_;
  const Image& b_;
  const LevelBounds& bounds_;
  const Thresholds& thresholds_;
};

bool AgreeStable(uint64_t region_over_8, uint64_t pixels_over_1, uint64_t all) {
  return region_over_8 < 16 && pixels_over_1 * 1000 <= all;
}

bool AgreeSpatial(const Comparison& comparison, const Thresholds& thresholds) {
  const SpatialMeasures& found = comparison.spatial;
  const uint32_t square = std::min({thresholds.square, comparison.width_a, comparison.height_a});
  return (found.square == 0 || found.square < square) &&
         found.similarity >= thresholds.similarity && found.shift <= thresholds.shift;
}

}  // namespace

Comparison Compare(const Image& a, const Image& b, const ComparisonRule& rule, size_t target) {
  CHECK(a.pixels.size() == 4 * a.pixel_count() && b.pixels.size() == 4 * b.pixel_count());
  Comparison result;
  result.width_a = a.width, result.height_a = a.height;
  result.width_b = b.width, result.height_b = b.height;
  if (!result.same_size() || a.pixel_count() == 0) {
    result.emd = result.rmse = result.chi2 = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  if (a.pixels == b.pixels) return result;
  CountPixels(a, b, &result);
  for (int channel = 0; channel < 4; ++channel) {
    const Histogram in_a = ChannelHistogram(a, channel);
    const Histogram in_b = ChannelHistogram(b, channel);
    result.emd = std::max(result.emd, EarthMover(in_a, in_b, a.pixel_count()));
    result.chi2 = std::max(result.chi2, ChiSquare(in_a, in_b, a.pixel_count()));
  }
  const LevelBounds* bounds = rule.kind == CompareRule::kBounded ? rule.BoundsOf(target) : nullptr;
  const bool fits = bounds != nullptr && bounds->lowest.size() == a.pixels.size() &&
                    bounds->highest.size() == a.pixels.size();
  Image rest = b;
  if (fits) rest = BoundedPixels(a, b, *bounds, rule.thresholds).Decide(&result.bounded);
  result.spatial = MeasureSpatially(a, rest, rule.thresholds.levels);
  Comparison of_rest = result;
  if (fits) {
    of_rest.pixels = of_rest.pixels_over_1 = of_rest.region = of_rest.region_over_8 = 0;
    of_rest.max = 0;
    CountPixels(a, rest, &of_rest);
  }
  result.bounded.pixels_over_1 = of_rest.pixels_over_1;
  result.bounded.region_over_8 = of_rest.region_over_8;
  return result;
}

bool Agree(const Comparison& comparison, const ComparisonRule& rule) {
  if (!comparison.same_size() || std::isnan(comparison.rmse)) return false;
  const uint64_t all = uint64_t{comparison.width_a} * comparison.height_a;
  const Comparison::Bounded& bounded = comparison.bounded;
  switch (rule.kind) {
    case CompareRule::kExact:
      return comparison.pixels == 0;
    case CompareRule::kBounded:
      if (bounded.outside > 0) return false;
      return rule.rest == CompareRule::kStable
                 ? AgreeStable(bounded.region_over_8, bounded.pixels_over_1, all)
                 : AgreeSpatial(comparison, rule.thresholds);
    case CompareRule::kStable:
      return AgreeStable(comparison.region_over_8, comparison.pixels_over_1, all);
    case CompareRule::kSpatial:
      return AgreeSpatial(comparison, rule.thresholds);
    case CompareRule::kHistogram:
      return comparison.emd <= 0.005;
  }
  return false;
}

std::string RuleText(const Comparison& comparison, const ComparisonRule& rule) {
  if (rule.kind != CompareRule::kBounded) return {};
  const Comparison::Bounded& found = comparison.bounded;
  std::string text;
  if (found.outside > 0) {
    text = format("{} outside of the bounds of the interpreter", Counted(found.outside, "pixel"));
  }
  if (found.outside_a > 0) {
    text += format("{}{} of the original by up to {} too, so they are compared under rule {}",
                   text.empty() ? "outside of the bounds of the interpreter: " : ", ",
                   Counted(found.outside_a, "pixel"), Counted(found.beyond_a, "level"),
                   RuleName(rule.rest));
  }
  return text;
}

Image DiffImage(const Image& a, const Image& b) {
  Image diff = MakeImage(std::max(a.width, b.width), std::max(a.height, b.height), 0, 0, 255, 255);
  for (uint32_t y = 0; y < std::min(a.height, b.height); ++y) {
    for (uint32_t x = 0; x < std::min(a.width, b.width); ++x) {
      const uint8_t* p = a.pixel(size_t{y} * a.width + x);
      const uint8_t* q = b.pixel(size_t{y} * b.width + x);
      uint8_t* to = diff.pixel(size_t{y} * diff.width + x);
      const uint8_t difference = LargestDifference(p, q);
      to[0] = difference > 0 ? 255 : DimGrey(p);
      to[1] = difference > 0 ? static_cast<uint8_t>(255 - difference) : DimGrey(p);
      to[2] = difference > 0 ? 0 : DimGrey(p);
    }
  }
  return diff;
}

}  // namespace image
}  // namespace refract
