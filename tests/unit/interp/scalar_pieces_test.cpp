// SPDX-License-Identifier: Apache-2.0
// Rounding, taking apart, packing, bit searches, determinants and inverses.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "interp/math/matrix.h"
#include "interp/math/packing.h"
#include "interp/math/rounding.h"

namespace refract::math {
namespace {

TEST(Rounding, AsTheHardware) {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const double any = std::bit_cast<double>(random.Next());
    const double near = static_cast<double>(random.Below(4000)) / 4 - 500;
    for (const double x : {any, near}) {
      if (IsNan(x)) continue;
      ASSERT_EQ(std::bit_cast<uint64_t>(RoundEven(x)), std::bit_cast<uint64_t>(std::nearbyint(x)));
      const RoundChoices choices = Round(x);
      const bool half = Absolute(x) < 0x1p52 && x - std::floor(x) == 0.5;
      ASSERT_EQ(choices.down, half ? std::floor(x) : RoundEven(x));
      ASSERT_EQ(choices.up, half ? std::ceil(x) : RoundEven(x));
      double whole = 0;
      const double fraction = std::modf(x, &whole);
      const ModfParts parts = Modf(x);
      ASSERT_EQ(std::bit_cast<uint64_t>(parts.whole), std::bit_cast<uint64_t>(whole));
      ASSERT_EQ(std::bit_cast<uint64_t>(parts.fraction), std::bit_cast<uint64_t>(fraction));
      if (!IsFinite(x)) continue;
      int exponent = 0;
      const double significand = std::frexp(x, &exponent);
      ASSERT_EQ(Frexp(x).significand, significand);
      ASSERT_EQ(Frexp(x).exponent, exponent);
    }
  }
  EXPECT_EQ(Fract(-0.25), 0.75);
  EXPECT_EQ(Sign(-3), -1);
  EXPECT_TRUE(HasSign(Sign(-0.0)));
  EXPECT_EQ(Sign(kNan), 0);
  EXPECT_TRUE(HasSign(RoundEven(-0.25)));
  EXPECT_EQ(Frexp(kInfinity).significand, kInfinity);
}

TEST(Packing, ByHand) {
  EXPECT_EQ(PackSnorm4x8(std::array{1.0, -1.0, 0.0, 2.0}).bits, 0x7f00817fu);
  EXPECT_EQ(PackUnorm4x8(std::array{1.0, -1.0, 0.5, 0.2}).bits, 0x338000ffu);
  EXPECT_EQ(PackSnorm2x16(std::array{-1.0, 0.5}).bits, 0x40008001u);
  EXPECT_EQ(PackUnorm2x16(std::array{1.0, 0.0}).bits, 0x0000ffffu);
  EXPECT_EQ(PackHalf2x16(std::array{1.0, -2.0}).bits, 0xc0003c00u);
  // 0.5 * 255 = 127.5 is a tie, and so is 0.5 * 32767.
  EXPECT_TRUE(PackUnorm4x8(std::array{0.5, 0.0, 0.0, 0.0}).ambiguous);
  EXPECT_TRUE(PackSnorm2x16(std::array{0.5, 0.0}).ambiguous);
  EXPECT_FALSE(PackUnorm4x8(std::array{0.25, 1.0, 0.0, 0.75}).ambiguous);
  // 1.5/255 to the nearest float: the product is above a tie by less than its rounding.
  const double near = static_cast<float>(1.5 / 255);
  EXPECT_NE(near * 255, 1.5);
  EXPECT_TRUE(PackUnorm4x8(std::array{near, 0.0, 0.0, 0.0}).ambiguous);
  EXPECT_TRUE(PackHalf2x16(std::array{1.0, 0.1}).ambiguous);
  EXPECT_FALSE(PackHalf2x16(std::array{1.0, 0.5}).ambiguous);
  EXPECT_EQ(PackHalf2x16(std::array{0.1, 0.1}, Rounding::kTowardZero).bits, 0x2e662e66u);
  EXPECT_EQ(PackHalf2x16(std::array{70000.0, 0.0}).bits, 0x00007c00u);
  EXPECT_TRUE(PackSnorm4x8(std::array{kNan, 0.0, 0.0, 0.0}).ambiguous);

  EXPECT_EQ(UnpackSnorm4x8(0x7f008180u), (std::array{-1.0, -1.0, 0.0, 1.0}));
  EXPECT_EQ(UnpackUnorm4x8(0x330000ffu), (std::array{1.0, 0.0, 0.0, double{51.0f / 255}}));
  EXPECT_EQ(UnpackSnorm2x16(0x40008001u), (std::array{-1.0, double{16384.0f / 32767}}));
  EXPECT_EQ(UnpackUnorm2x16(0xffff0001u), (std::array{double{1.0f / 65535}, 1.0}));
  EXPECT_EQ(UnpackHalf2x16(0xc0003c00u), (std::array{1.0, -2.0}));
}

TEST(Packing, EveryFieldSurvivesThereAndBack) {
  for (uint32_t field = 0; field < 0x10000; ++field) {
    const uint32_t bits = field | (field << 16);
    ASSERT_EQ(PackUnorm2x16(UnpackUnorm2x16(bits)).bits, bits);
    ASSERT_EQ(PackUnorm4x8(UnpackUnorm4x8(bits)).bits, bits);
    ASSERT_EQ(PackHalf2x16(UnpackHalf2x16(bits)).bits, bits);
    if (field != 0x8000) {
      ASSERT_EQ(PackSnorm2x16(UnpackSnorm2x16(bits)).bits, bits);
    }
  }
}

TEST(BitSearch, AgainstALoop) {
  Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const auto value = static_cast<uint32_t>(random.Next() >> random.Below(64));
    int lowest = -1;
    int highest = -1;
    int differs = -1;
    for (int bit = 0; bit < 32; ++bit) {
      const bool set = ((value >> bit) & 1) != 0;
      if (set && lowest < 0) lowest = bit;
      if (set) highest = bit;
      if (set != ((value >> 31) != 0)) differs = bit;
    }
    ASSERT_EQ(FindILsb(value), lowest);
    ASSERT_EQ(FindUMsb(value), highest);
    ASSERT_EQ(FindSMsb(static_cast<int32_t>(value)), differs);
  }
  EXPECT_EQ(FindILsb(0), -1);
  EXPECT_EQ(FindUMsb(0), -1);
  EXPECT_EQ(FindSMsb(0), -1);
  EXPECT_EQ(FindSMsb(-1), -1);
}

TEST(Matrix, ByHand) {
  const std::vector<double> two = {1, 3, 2, 4};  // columns (1, 3) and (2, 4)
  EXPECT_EQ(Determinant(two, 2, 32).value, -2);
  EXPECT_EQ(Determinant(two, 2, 32).range, Range::Exactly(-2));
  const std::vector<Bounded> inverse = Inverse(two, 2, 32);
  EXPECT_EQ(inverse[0].value, -2);
  EXPECT_EQ(inverse[1].value, 1.5);
  EXPECT_EQ(inverse[2].value, 1);
  EXPECT_EQ(inverse[3].value, -0.5);
  EXPECT_EQ(inverse[3].range, (Range{-0.5 - 2.5 * 0x1p-25, -0.5 + 2.5 * 0x1p-25}));
  // Sarrus: 1*5*10 + 4*8*3 + 7*2*6 - 3*5*7 - 6*8*1 - 10*2*4 = -3.
  EXPECT_EQ(Determinant(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 10}, 3, 32).value, -3);
  EXPECT_EQ(
      Determinant(std::vector<double>{2, 0, 0, 0, 5, 3, 0, 0, 1, 7, 4, 0, 9, 9, 9, 5}, 4, 32).range,
      Range::Exactly(120));
  EXPECT_EQ(Inverse(std::vector<double>{1, 2, 2, 4}, 2, 32)[0].range, Range::Anything());
  EXPECT_TRUE(IsNan(Inverse(std::vector<double>{1, 2, 2, 4}, 2, 32)[0].value));
  // A product that has to be rounded: three roundings of 2^-23 at most, of 0.01 and 0.09.
  const double tenth = 0.1f;
  const Range rounded = Determinant(std::vector<double>{tenth, 0.3f, 0.3f, tenth}, 2, 32).range;
  EXPECT_NEAR((rounded.high - rounded.low) / (2 * 2 * 0.1 * 0x1p-23), 1, 1e-3);
}

TEST(Matrix, HardwareIsAnImplementationAndInversesInvert) {
  Random random(6);
  for (int i = 0; i < 3000; ++i) {
    const size_t n = 2 + random.Below(3);
    std::vector<double> m(n * n);
    for (double& element : m) {
      element = static_cast<float>(static_cast<double>(random.Below(1 << 20)) * 0x1p-18 - 2);
    }
    const std::vector<Bounded> inverse = Inverse(m, static_cast<int>(n), 32);
    const Bounded determinant = Determinant(m, static_cast<int>(n), 32);
    ASSERT_TRUE(determinant.range.Contains(determinant.value));
    if (n == 2) {
      const auto a = [&](size_t e) { return static_cast<float>(m[e]); };
      ASSERT_TRUE(determinant.range.Contains(a(0) * a(3) - a(2) * a(1)));
    }
    if (Absolute(determinant.value) < 0.1) continue;
    for (size_t row = 0; row < n; ++row) {
      for (size_t column = 0; column < n; ++column) {
        double sum = 0;
        for (size_t k = 0; k < n; ++k) {
          sum += m[k * n + row] * inverse[column * n + k].value;
        }
        ASSERT_NEAR(sum, row == column ? 1 : 0, 1e-10);
      }
    }
    ASSERT_TRUE(inverse[1].range.Contains(inverse[1].value));
  }
}

}  // namespace
}  // namespace refract::math
