// SPDX-License-Identifier: Apache-2.0
#include "image/spatial.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace refract {
inline namespace image {
namespace {

// (0.03 * 255)^2, which keeps the quotient finite where a window is flat.
constexpr double kVarianceConstant = 58.5225;

uint32_t LargestSquare(const Image& a, const Image& b, uint32_t levels) {
  // side[x]: the side of the largest square whose lower right corner is pixel x of the row.
  std::vector<uint32_t> side(a.width), above(a.width);
  uint32_t largest = 0;
  for (uint32_t y = 0; y < a.height; ++y) {
    std::swap(side, above);
    for (uint32_t x = 0; x < a.width; ++x) {
      const uint8_t* p = a.pixel(size_t{y} * a.width + x);
      const uint8_t* q = b.pixel(size_t{y} * a.width + x);
      uint32_t difference = 0;
      for (int c = 0; c < 4; ++c) {
        difference = std::max(difference, static_cast<uint32_t>(std::abs(int{p[c]} - int{q[c]})));
      }
      if (difference <= levels) {
        side[x] = 0;
      } else {
        const uint32_t corner = x == 0 || y == 0 ? 0 : above[x - 1];
        side[x] = x == 0 || y == 0 ? 1 : 1 + std::min({corner, above[x], side[x - 1]});
      }
      largest = std::max(largest, side[x]);
    }
  }
  return largest;
}

// Each pixel of the result is the mean of a block of the image.
Image BlockMeans(const Image& image) {
  Image means =
      MakeImage((image.width + kBlock - 1) / kBlock, (image.height + kBlock - 1) / kBlock);
  for (uint32_t y = 0; y < means.height; ++y) {
    for (uint32_t x = 0; x < means.width; ++x) {
      const uint32_t right = std::min((x + 1) * kBlock, image.width);
      const uint32_t bottom = std::min((y + 1) * kBlock, image.height);
      uint32_t sums[4] = {}, count = 0;
      for (uint32_t row = y * kBlock; row < bottom; ++row) {
        for (uint32_t column = x * kBlock; column < right; ++column, ++count) {
          const uint8_t* pixel = image.pixel(size_t{row} * image.width + column);
          for (int c = 0; c < 4; ++c) sums[c] += pixel[c];
        }
      }
      for (int c = 0; c < 4; ++c) {
        means.pixel(size_t{y} * means.width + x)[c] =
            static_cast<uint8_t>((2 * sums[c] + count) / (2 * count));
      }
    }
  }
  return means;
}

// The first blocks of the windows along a side of `size` blocks.
std::vector<uint32_t> WindowStarts(uint32_t size) {
  constexpr uint32_t kSide = kWindow / kBlock;
  if (size <= kSide) return {0};
  std::vector<uint32_t> starts;
  for (uint32_t at = 0; at + kSide < size; at += kSide / 2) starts.push_back(at);
  starts.push_back(size - kSide);
  return starts;
}

// a and b have a pixel for each block.
void MeasureWindow(const Image& a, const Image& b, uint32_t left, uint32_t top, int channel,
                   SpatialMeasures* measures) {
  const uint32_t right = std::min(left + kWindow / kBlock, a.width);
  const uint32_t bottom = std::min(top + kWindow / kBlock, a.height);
  // Whole numbers, so that the sums do not depend on their order.
  int64_t sum_a = 0, sum_b = 0, square_a = 0, square_b = 0, product = 0;
  for (uint32_t y = top; y < bottom; ++y) {
    for (uint32_t x = left; x < right; ++x) {
      const int64_t p = a.pixel(size_t{y} * a.width + x)[channel];
      const int64_t q = b.pixel(size_t{y} * a.width + x)[channel];
      sum_a += p, sum_b += q;
      square_a += p * p, square_b += q * q, product += p * q;
    }
  }
  const double count = static_cast<double>(right - left) * static_cast<double>(bottom - top);
  const double mean_a = static_cast<double>(sum_a) / count;
  const double mean_b = static_cast<double>(sum_b) / count;
  const double variance_a = static_cast<double>(square_a) / count - mean_a * mean_a;
  const double variance_b = static_cast<double>(square_b) / count - mean_b * mean_b;
  const double covariance = static_cast<double>(product) / count - mean_a * mean_b;
  const double similarity =
      (2 * covariance + kVarianceConstant) / (variance_a + variance_b + kVarianceConstant);
  measures->similarity = std::min(measures->similarity, similarity);
  measures->shift = std::max(measures->shift, std::abs(mean_a - mean_b));
}

}  // namespace

SpatialMeasures MeasureSpatially(const Image& a, const Image& b, uint32_t levels) {
  SpatialMeasures measures;
  if (a.pixels == b.pixels) return measures;
  measures.square = LargestSquare(a, b, levels);
  const Image in_a = BlockMeans(a), in_b = BlockMeans(b);
  for (const uint32_t top : WindowStarts(in_a.height)) {
    for (const uint32_t left : WindowStarts(in_a.width)) {
      for (int channel = 0; channel < 4; ++channel) {
        MeasureWindow(in_a, in_b, left, top, channel, &measures);
      }
    }
  }
  return measures;
}

}  // namespace image
}  // namespace refract
