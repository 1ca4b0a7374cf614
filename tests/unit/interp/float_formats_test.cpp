// SPDX-License-Identifier: Apache-2.0
#include "interp/math/float_formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace refract::math {
namespace {

double AnyDouble(Random& random) {
  return std::bit_cast<double>(random.Next());
}

// The value of a half by the definition in IEEE 754, section 3.4.
double HalfByDefinition(uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  if (exponent == 0x1f) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(FloatFormats, EveryHalfSurvivesThereAndBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const double value = DoubleFromHalf(half);
    const double expected = HalfByDefinition(half);
    ASSERT_EQ(IsNan(value), std::isnan(expected)) << bits;
    if (!IsNan(value)) {
      ASSERT_EQ(value, expected) << bits;
    }
    ASSERT_EQ(HasSign(value), (bits & 0x8000) != 0) << bits;
    ASSERT_EQ(HalfFromDouble(value), half);
    ASSERT_EQ(HalfFromDouble(value, Rounding::kTowardZero), half);
    ASSERT_TRUE(IsRepresentable(value, 16));
  }
}

// Between every two neighbouring halves: the midpoint goes to the even one, what is beside the
// midpoint to the nearer, and towards zero to the lower. The last step is to infinity, where the
// midpoint is as if the exponent went on.
TEST(FloatFormats, RoundsToHalfOnce) {
  for (uint16_t bits = 0; bits < 0x7c00; ++bits) {
    const uint16_t above = bits + 1;
    const double low = DoubleFromHalf(bits);
    const double high = above == 0x7c00 ? 65536 : DoubleFromHalf(above);
    const double middle = (low + high) / 2;
    const double less = std::nextafter(middle, 0);
    const double more = std::nextafter(middle, 1e9);
    ASSERT_EQ(HalfFromDouble(middle), bits % 2 == 0 ? bits : above);
    ASSERT_EQ(HalfFromDouble(less), bits);
    ASSERT_EQ(HalfFromDouble(more), above);
    ASSERT_EQ(HalfFromDouble(-more), above | 0x8000);
    ASSERT_EQ(HalfFromDouble(std::nextafter(high, 0), Rounding::kTowardZero), bits);
    ASSERT_EQ(HalfFromDouble(-more, Rounding::kTowardZero), bits | 0x8000);
  }
  EXPECT_EQ(HalfFromDouble(1e300), 0x7c00);
  EXPECT_EQ(HalfFromDouble(-1e300, Rounding::kTowardZero), 0xfbff);
  EXPECT_EQ(HalfFromDouble(kInfinity, Rounding::kTowardZero), 0x7c00);
  EXPECT_EQ(HalfFromDouble(-0x1p-1074), 0x8000);
}

TEST(FloatFormats, RoundsToFloatAsTheHardware) {
  Random random(1);
  for (int i = 0; i < 300000; ++i) {
    // Half of them near what a float can hold, its denormals and overflow included.
    const double mantissa = 1 + static_cast<double>(random.Below(uint64_t{1} << 52)) * 0x1p-52;
    const int exponent = static_cast<int>(random.Below(300)) - 160;
    const double value = i % 2 == 0 ? AnyDouble(random) : std::ldexp(mantissa, exponent);
    if (IsNan(value)) continue;
    ASSERT_EQ(FloatFromDouble(value), static_cast<float>(value));
    const double cut = FloatFromDouble(value, Rounding::kTowardZero);
    ASSERT_LE(Absolute(cut), Absolute(value));
    if (!IsInfinite(value)) {
      ASSERT_GT(NextUp(Absolute(cut), 32), Absolute(value)) << value;
    }
  }
  EXPECT_EQ(FloatFromDouble(1e39, Rounding::kTowardZero), 0x1.fffffep127f);
  EXPECT_EQ(FloatFromDouble(-1e-60, Rounding::kTowardZero), 0.0f);
  EXPECT_EQ(FloatFromDouble(kInfinity, Rounding::kTowardZero), INFINITY);
}

TEST(FloatFormats, NansKeepTheirBits) {
  for (const uint32_t bits : {0x7fc00000u, 0xffc00001u, 0x7f800001u, 0xff812345u, 0x7fffffffu}) {
    EXPECT_EQ(FloatBitsFromDouble(DoubleFromFloatBits(bits)), bits);
  }
  // A payload that does not fit is still a NaN.
  const double tiny_payload = std::bit_cast<double>(uint64_t{0x7ff0000000000001});
  EXPECT_EQ(HalfFromDouble(tiny_payload), 0x7e00);
  EXPECT_EQ(FloatBitsFromDouble(tiny_payload), 0x7fc00000u);
}

TEST(FloatFormats, NeighboursOfHalves) {
  for (uint16_t bits = 0; bits < 0x7c00; ++bits) {
    const double value = DoubleFromHalf(bits);
    const double next = DoubleFromHalf(bits + 1);
    ASSERT_EQ(NextUp(value, 16), next);
    ASSERT_EQ(NextDown(next, 16), value);
    ASSERT_EQ(NextDown(-value, 16), -next);
    const double between = std::nextafter(value, next);
    ASSERT_EQ(NextUp(between, 16), next);
    ASSERT_EQ(NextDown(between, 16), value);
  }
  EXPECT_EQ(NextUp(65519, 16), kInfinity);
  EXPECT_EQ(NextDown(65521, 16), 65504);
  EXPECT_EQ(NextUp(-kInfinity, 16), -65504);
}

TEST(FloatFormats, NeighboursOfWiderNumbers) {
  Random random(2);
  for (int i = 0; i < 200000; ++i) {
    const double value = AnyDouble(random);
    const auto narrow = std::bit_cast<float>(static_cast<uint32_t>(random.Next()));
    if (IsNan(value) || std::isnan(narrow)) continue;
    ASSERT_EQ(NextUp(value, 64), std::nextafter(value, INFINITY));
    ASSERT_EQ(NextDown(value, 64), std::nextafter(value, -INFINITY));
    ASSERT_EQ(NextUp(narrow, 32), std::nextafter(narrow, INFINITY));
    ASSERT_EQ(NextDown(narrow, 32), std::nextafter(narrow, -INFINITY));
  }
  EXPECT_EQ(NextUp(-0.0, 32), 0x1p-149);
  EXPECT_EQ(NextDown(0.0, 64), -0x1p-1074);
  EXPECT_EQ(NextUp(kInfinity, 32), kInfinity);
  EXPECT_EQ(NextDown(kInfinity, 32), 0x1.fffffep127);
  EXPECT_TRUE(IsNan(NextDown(kNan, 32)));
}

// By hand from the definition: the least distance of two numbers around the value.
TEST(FloatFormats, UlpAsVulkanDefinesIt) {
  EXPECT_EQ(Ulp(1.5, 32), 0x1p-23);
  EXPECT_EQ(Ulp(1.0, 32), 0x1p-24);  // 1 - 2^-24 is the nearest neighbour
  EXPECT_EQ(Ulp(1.0000000001, 32), 0x1p-23);
  EXPECT_EQ(Ulp(-2.0, 32), 0x1p-23);
  EXPECT_EQ(Ulp(0, 32), 0x1p-149);
  EXPECT_EQ(Ulp(0x1p-126, 32), 0x1p-149);
  EXPECT_EQ(Ulp(0x1p-125, 32), 0x1p-149);
  EXPECT_EQ(Ulp(0x1.8p-125, 32), 0x1p-148);
  EXPECT_EQ(Ulp(0x1.fffffep127, 32), 0x1p104);
  EXPECT_EQ(Ulp(0x1p128, 32), 0x1p104);
  EXPECT_EQ(Ulp(1e300, 32), 0x1p104);
  EXPECT_EQ(Ulp(kInfinity, 32), 0x1p104);
  EXPECT_EQ(Ulp(1.0, 16), 0x1p-11);
  EXPECT_EQ(Ulp(1000, 16), 0.5);
  EXPECT_EQ(Ulp(70000, 16), 32);
  EXPECT_EQ(Ulp(0x1p-20, 16), 0x1p-24);
  EXPECT_EQ(Ulp(3, 64), 0x1p-51);
  EXPECT_EQ(Ulp(1, 64), 0x1p-53);
  EXPECT_EQ(Ulp(0, 64), 0x1p-1074);
  EXPECT_EQ(Ulp(kNan, 64), kInfinity);
  // And against the neighbours themselves.
  for (uint16_t bits = 1; bits < 0x7c00; ++bits) {
    const double value = DoubleFromHalf(bits);
    const double up = bits == 0x7bff ? 32 : DoubleFromHalf(bits + 1) - value;
    ASSERT_EQ(Ulp(value, 16), std::min(value - DoubleFromHalf(bits - 1), up)) << bits;
  }
}

TEST(FloatFormats, GapToTheFartherNeighbour) {
  for (uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const double value = DoubleFromHalf(bits);
    ASSERT_EQ(NeighbourGap(-value, 16), DoubleFromHalf(bits + 1) - value) << bits;
  }
  EXPECT_EQ(NeighbourGap(1, 32), 0x1p-23);
  EXPECT_EQ(NeighbourGap(1, 64), 0x1p-52);
  EXPECT_EQ(NeighbourGap(0, 64), 0x1p-1074);
  EXPECT_EQ(NeighbourGap(FormatOf(32).max, 32), 0x1p104);
}

TEST(FloatFormats, Denormals) {
  EXPECT_TRUE(IsDenormal(0x1p-149, 32));
  EXPECT_TRUE(IsDenormal(-0x1.fffffcp-127, 32));
  EXPECT_FALSE(IsDenormal(0x1p-126, 32));
  EXPECT_FALSE(IsDenormal(0, 32));
  EXPECT_TRUE(IsDenormal(0x1p-15, 16));
  EXPECT_FALSE(IsDenormal(0x1p-14, 16));
  EXPECT_TRUE(IsDenormal(0x1p-1030, 64));
  EXPECT_TRUE(HasSign(FlushDenormal(-0x1p-130, 32)));
  EXPECT_EQ(FlushDenormal(-0x1p-130, 32), 0);
  EXPECT_EQ(FlushDenormal(0x1p-130, 64), 0x1p-130);
}

}  // namespace
}  // namespace refract::math
