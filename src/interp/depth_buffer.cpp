// SPDX-License-Identifier: Apache-2.0
#include "interp/depth_buffer.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace refract {
inline namespace interp {
namespace {

// What the depth of a fragment may be, compared with the stored one.
constexpr uint32_t kIsLess = 1, kIsEqual = 2, kIsGreater = 4, kIsAny = 7;

// The results with which a fragment passes.
uint32_t PassingResults(BoundImage::Compare compare) {
  switch (compare) {
    case BoundImage::kNever:
      return 0;
    case BoundImage::kLess:
      return kIsLess;
    case BoundImage::kEqual:
      return kIsEqual;
    case BoundImage::kLessOrEqual:
      return kIsLess | kIsEqual;
    case BoundImage::kGreater:
      return kIsGreater;
    case BoundImage::kNotEqual:
      return kIsLess | kIsGreater;
    case BoundImage::kGreaterOrEqual:
      return kIsGreater | kIsEqual;
    default:
      return kIsAny;
  }
}

bool IsUndefined(const FloatValue& value) {
  return (value.note.shadow & kUndefinedBit) != 0;
}

// Devices may replace denormal numbers by 0.
constexpr double kLeastNormal = std::numeric_limits<float>::min();
bool IsDenormal(double depth) {
  return depth != 0 && math::Absolute(depth) < kLeastNormal;
}

double ErrorOf(const FloatValue& depth) {
  const double error = depth.note.exact() ? 0 : depth.note.error;
  return IsDenormal(depth.value) ? std::max(error, kLeastNormal) : error;
}

uint32_t PossibleResults(const FloatValue& a, const FloatValue& b) {
  if (IsUndefined(a) || IsUndefined(b)) return kIsAny;
  const double a_error = ErrorOf(a), b_error = ErrorOf(b);
  if (a_error == math::kInfinity || b_error == math::kInfinity) return kIsAny;
  const double a_low = a.value - a_error, a_high = a.value + a_error;
  const double b_low = b.value - b_error, b_high = b.value + b_error;
  return (a_low < b_high ? kIsLess : 0) | (a_low <= b_high && b_low <= a_high ? kIsEqual : 0) |
         (a_high > b_low ? kIsGreater : 0);
}

}  // namespace

DepthBuffer::DepthBuffer(const BoundDepth& target, size_t pixels)
    : target_(target), depths_(target ? pixels : 0, target.clear) {}

FloatValue DepthBuffer::At(size_t pixel) const {
  FloatValue stored;
  stored.value = depths_[pixel];
  stored.note = ReadFloatShadow(shadows_.empty() ? 0 : shadows_[pixel], stored.value);
  return stored;
}

DepthBuffer::Test DepthBuffer::Compare(const FloatValue& depth, const FloatValue& stored) const {
  const uint32_t passing = PassingResults(target_.compare);
  const uint32_t possible = PossibleResults(depth, stored);
  const uint32_t found = depth.value < stored.value    ? kIsLess
                         : depth.value == stored.value ? kIsEqual
                                                       : kIsGreater;
  Test test;
  test.passes = (found & passing) != 0;
  const bool settled = (possible & ~passing) == 0 || (possible & passing) == 0;
  if (!settled) {
    test.open = IsUndefined(depth) || IsUndefined(stored) ? kUndefinedBit : kApproximateBit;
  }
  return test;
}

DepthBuffer::Test DepthBuffer::TestFragment(size_t pixel, const FloatValue& depth) {
  const Test test = Compare(depth, At(pixel));
  if (test.passes) {
    depths_[pixel] = static_cast<float>(depth.value);
    uint32_t shadow = 0;
    if (IsUndefined(depth)) {
      shadow = kUndefinedBit;
    } else if (const double error = ErrorOf(depth); !depth.note.exact() || error > 0) {
      shadow = ApproximateFloatShadow(depth.value, math::Absolute(depth.value), error);
    }
    if (shadow != 0) shadows_.resize(depths_.size());
    if (!shadows_.empty()) shadows_[pixel] = shadow;
  }
  if (test.open != 0) Raise(pixel, test.open);
  return test;
}

bool DepthBuffer::FailsAtFirst(double depth) const {
  FloatValue given, stored;
  given.value = depth;
  stored.value = target_.clear;
  return exists() && !Compare(given, stored).passes;
}

void DepthBuffer::Raise(size_t pixel, uint32_t shadow) {
  if (!exists()) return;
  shadows_.resize(depths_.size());
  uint32_t& word = shadows_[pixel];
  if ((word & kUndefinedBit) != 0) return;
  const double depth = depths_[pixel];
  word = (shadow & kUndefinedBit) != 0
             ? kUndefinedBit
             : ApproximateFloatShadow(depth, math::Absolute(depth), math::kInfinity);
}

void DepthBuffer::Store(const Bindings& bindings, RunReport* report) const {
  if (!exists()) return;
  ColourTarget& target = report->outputs.targets.back();
  CHECK(target.location == kDepthLocation);
  target = DepthTarget(bindings, depths_);
  for (size_t i = 0; i < shadows_.size(); ++i) {
    report->target_shadows.back()[4 * i] = static_cast<char>(shadows_[i] & kShadowMask);
  }
}

}  // namespace interp
}  // namespace refract
