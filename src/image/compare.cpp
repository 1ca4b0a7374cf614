// SPDX-License-Identifier: Apache-2.0
#include "image/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/check.h"

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

}  // namespace

Comparison Compare(const Image& a, const Image& b) {
  CHECK(a.pixels.size() == 4 * a.pixel_count() && b.pixels.size() == 4 * b.pixel_count());
  Comparison result{
      .width_a = a.width, .height_a = a.height, .width_b = b.width, .height_b = b.height};
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
  return result;
}

std::string_view RuleName(CompareRule rule) {
  switch (rule) {
    case CompareRule::kExact:
      return "exact";
    case CompareRule::kStable:
      return "stable";
    case CompareRule::kHistogram:
      return "histogram";
  }
  return "";
}

std::optional<CompareRule> RuleByName(std::string_view name) {
  for (const CompareRule rule :
       {CompareRule::kExact, CompareRule::kStable, CompareRule::kHistogram}) {
    if (RuleName(rule) == name) return rule;
  }
  return std::nullopt;
}

bool Agree(const Comparison& comparison, CompareRule rule) {
  if (!comparison.same_size() || std::isnan(comparison.rmse)) return false;
  const uint64_t all = uint64_t{comparison.width_a} * comparison.height_a;
  switch (rule) {
    case CompareRule::kExact:
      return comparison.pixels == 0;
    case CompareRule::kStable:
      return comparison.region_over_8 < 16 && comparison.pixels_over_1 * 1000 <= all;
    case CompareRule::kHistogram:
      return comparison.emd <= 0.005;
  }
  return false;
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
