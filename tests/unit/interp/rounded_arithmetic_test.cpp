// SPDX-License-Identifier: Apache-2.0
// Against what the hardware rounds and against exact integers.
#include "interp/math/rounded_arithmetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace refract::math {
namespace {

__extension__ using Int128 = __int128;

float AnyFloat(Random& random) {
  return std::bit_cast<float>(static_cast<uint32_t>(random.Next()));
}
double AnyHalf(Random& random) {
  return DoubleFromHalf(static_cast<uint16_t>(random.Next()));
}
// Finite, of few or all bits, its exponent in [low, high].
double Moderate(Random& random, int precision, int low, int high) {
  const int bits = random.Percent(40) ? 4 : precision;
  const auto mantissa = static_cast<double>(random.Below(uint64_t{1} << bits) | 1);
  const int exponent = static_cast<int>(random.Between(0, static_cast<uint64_t>(high - low))) + low;
  return std::ldexp(random.Percent(50) ? mantissa : -mantissa, exponent);
}

// integer * 2^exponent, exactly, with the integer odd or zero.
struct Exact {
  Int128 integer;
  int exponent;
  friend bool operator==(const Exact&, const Exact&) = default;
};
Exact Normal(Int128 integer, int exponent) {
  if (integer == 0) return {0, 0};
  while (integer % 2 == 0) {
    integer /= 2;
    ++exponent;
  }
  return {integer, exponent};
}
Exact ExactOf(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return Normal(static_cast<Int128>(std::ldexp(mantissa, 53)), exponent - 53);
}
// Exponents at most 60 apart.
Exact ExactSum(const Exact& a, const Exact& b) {
  const int low = a.integer == 0   ? b.exponent
                  : b.integer == 0 ? a.exponent
                                   : std::min(a.exponent, b.exponent);
  const Int128 left = a.integer == 0 ? 0 : a.integer << (a.exponent - low);
  const Int128 right = b.integer == 0 ? 0 : b.integer << (b.exponent - low);
  return Normal(left + right, low);
}
Exact ExactProduct(const Exact& a, const Exact& b) {
  return Normal(a.integer * b.integer, a.exponent + b.exponent);
}
// The sign of a - b, whose exponents may be anything: by a long double of each.
int Compare(const Exact& a, const Exact& b) {
  if (a == b) return 0;
  const auto value = [](const Exact& x) {
    return std::ldexp(static_cast<long double>(x.integer), x.exponent);
  };
  const long double left = value(a);
  const long double right = value(b);
  return left < right ? -1 : left > right ? 1 : 2;
}
Exact Magnitude(Exact a) {
  if (a.integer < 0) a.integer = -a.integer;
  return a;
}

// A result toward zero and the one to nearest, where `exact` is known.
void ExpectCut(const Exact& exact, double nearest, double cut, bool rounded, int width) {
  if (!rounded) {
    ASSERT_EQ(cut, nearest);
    return;
  }
  ASSERT_NE(Compare(Magnitude(ExactOf(cut)), Magnitude(exact)), 1) << cut;
  const double outer = NextUp(Absolute(cut), width);
  ASSERT_NE(Compare(ExactOf(outer), Magnitude(exact)), -1) << cut;
  ASSERT_TRUE(nearest == cut || Absolute(nearest) == outer);
}

TEST(RoundedArithmetic, FloatsAsTheHardware) {
  Random random(1);
  for (int i = 0; i < 300000; ++i) {
    const bool near = i % 2 == 0;
    const float a = near ? static_cast<float>(Moderate(random, 24, -20, 20)) : AnyFloat(random);
    const float b = near ? static_cast<float>(Moderate(random, 24, -20, 20)) : AnyFloat(random);
    const auto same = [](double ours, float theirs) {
      return std::isnan(theirs) ? IsNan(ours)
                                : ours == theirs && HasSign(ours) == std::signbit(theirs);
    };
    ASSERT_TRUE(same(Add(a, b, 32), a + b)) << a << " " << b;
    ASSERT_TRUE(same(Sub(a, b, 32), a - b)) << a << " " << b;
    ASSERT_TRUE(same(Mul(a, b, 32), a * b)) << a << " " << b;
    ASSERT_TRUE(same(Div(a, b, 32), a / b)) << a << " " << b;
    ASSERT_TRUE(same(Sqrt(a, 32), std::sqrt(a))) << a;
    const float c = near ? static_cast<float>(Moderate(random, 24, -30, 30)) : AnyFloat(random);
    ASSERT_TRUE(same(Fma(a, b, c, 32), std::fma(a, b, c))) << a << " " << b << " " << c;
  }
}

TEST(RoundedArithmetic, DoublesAsTheHardware) {
  Random random(2);
  for (int i = 0; i < 200000; ++i) {
    const double a = std::bit_cast<double>(random.Next());
    const double b = std::bit_cast<double>(random.Next());
    const auto same = [](double ours, double theirs) {
      return std::isnan(theirs) ? IsNan(ours) : ours == theirs;
    };
    ASSERT_TRUE(same(Add(a, b, 64), a + b));
    ASSERT_TRUE(same(Mul(a, b, 64), a * b));
    ASSERT_TRUE(same(Div(a, b, 64), a / b));
    ASSERT_TRUE(same(Sqrt(a, 64), std::sqrt(a)));
    ASSERT_TRUE(same(Fma(a, b, -a, 64), std::fma(a, b, -a)));
  }
}

// Sums and products of halves are exact in double, so that converting them is all there is to do.
TEST(RoundedArithmetic, Halves) {
  Random random(3);
  for (int i = 0; i < 300000; ++i) {
    const double a = AnyHalf(random);
    const double b = AnyHalf(random);
    if (!IsFinite(a) || !IsFinite(b)) continue;
    for (const Rounding rounding : {Rounding::kNearestEven, Rounding::kTowardZero}) {
      bool rounded = false;
      ASSERT_EQ(Add(a, b, 16, &rounded, rounding), RoundToWidth(a + b, 16, rounding));
      ASSERT_EQ(rounded, !IsRepresentable(a + b, 16));
      ASSERT_EQ(Mul(a, b, 16, &rounded, rounding), RoundToWidth(a * b, 16, rounding));
      ASSERT_EQ(rounded, !IsRepresentable(a * b, 16));
    }
    if (b == 0 || a == 0) continue;
    bool rounded = false;
    const double quotient = Div(a, b, 16, &rounded);
    if (IsInfinite(quotient)) {
      ASSERT_TRUE(rounded);
      continue;
    }
    ASSERT_EQ(rounded, quotient * b != a) << a << " / " << b;  // 22 bits: exact in double
    // No other half is nearer: |a - q b| is at most that of the neighbours of q.
    ASSERT_LE(Absolute(a - quotient * b), Absolute(a - NextUp(quotient, 16) * b));
    ASSERT_LE(Absolute(a - quotient * b), Absolute(a - NextDown(quotient, 16) * b));
  }
}

// The flag, and rounding toward zero, against exact integers.
void CheckExactly(int width, int precision, int low, int high, int count) {
  Random random(static_cast<uint64_t>(width + low));
  for (int i = 0; i < count; ++i) {
    const double a = Moderate(random, precision, low, high);
    const double b = Moderate(random, precision, low, high);
    bool rounded = false;
    bool cut_rounded = false;
    const auto check = [&](const Exact& exact, double nearest, double cut) {
      ASSERT_EQ(rounded, ExactOf(nearest) != exact) << a << " " << b;
      ASSERT_EQ(rounded, cut_rounded);
      ExpectCut(exact, nearest, cut, rounded, width);
    };
    const double sum = Add(a, b, width, &rounded);
    check(ExactSum(ExactOf(a), ExactOf(b)), sum,
          Add(a, b, width, &cut_rounded, Rounding::kTowardZero));
    const double product = Mul(a, b, width, &rounded);
    const Exact exact_product = ExactProduct(ExactOf(a), ExactOf(b));
    check(exact_product, product, Mul(a, b, width, &cut_rounded, Rounding::kTowardZero));
    const double quotient = Div(a, b, width, &rounded);
    ASSERT_EQ(rounded, ExactProduct(ExactOf(quotient), ExactOf(b)) != ExactOf(a));
    const double root = Sqrt(Absolute(a), width, &rounded);
    ASSERT_EQ(rounded, ExactProduct(ExactOf(root), ExactOf(root)) != ExactOf(Absolute(a)));
  }
}

TEST(RoundedArithmetic, FlagsAndCutsOfFloats) {
  CheckExactly(32, 24, -20, 20, 100000);
}
TEST(RoundedArithmetic, FlagsAndCutsOfDoubles) {
  CheckExactly(64, 53, -30, 30, 100000);
}

// Around the smallest numbers, where residuals underflow unless they are scaled.
TEST(RoundedArithmetic, FlagsOfDenormalDoubles) {
  Random random(5);
  for (int i = 0; i < 100000; ++i) {
    const double a = Moderate(random, 53, -600, -500);
    const double b = Moderate(random, 53, -580, -480);
    bool rounded = false;
    const double product = Mul(a, b, 64, &rounded);
    ASSERT_EQ(product, a * b);
    ASSERT_EQ(rounded, ExactOf(product) != ExactProduct(ExactOf(a), ExactOf(b))) << a << " " << b;
    const double small = Moderate(random, 53, -1074, -1030);
    const double quotient = Div(small, std::ldexp(b, 540), 64, &rounded);
    const Exact back = ExactProduct(ExactOf(quotient), ExactOf(std::ldexp(b, 540)));
    ASSERT_EQ(rounded, back != ExactOf(small)) << small << " " << b;
    Sqrt(Absolute(small), 64, &rounded);
    const double root = std::sqrt(Absolute(small));
    ASSERT_EQ(rounded, ExactProduct(ExactOf(root), ExactOf(root)) != ExactOf(Absolute(small)));
  }
}

TEST(RoundedArithmetic, FlagsOfFma) {
  Random random(6);
  int exact_ones = 0;
  for (int i = 0; i < 200000; ++i) {
    const int width = i % 2 == 0 ? 32 : 64;
    const int shift = static_cast<int>(random.Below(3)) * 480 * (width / 64);
    const double a = std::ldexp(Moderate(random, 24, -10, 10), -shift);
    const double b = std::ldexp(Moderate(random, 24, -10, 10), -shift);
    const double c = std::ldexp(Moderate(random, 24, -20, 20), -2 * shift);
    bool rounded = false;
    const double result = Fma(a, b, c, width, &rounded);
    const Exact exact = ExactSum(ExactProduct(ExactOf(a), ExactOf(b)), ExactOf(c));
    ASSERT_EQ(rounded, ExactOf(result) != exact) << a << " " << b << " " << c;
    exact_ones += rounded ? 0 : 1;
    const double cut = Fma(a, b, c, width, nullptr, Rounding::kTowardZero);
    if (shift == 0) ExpectCut(exact, result, cut, rounded, width);
  }
  EXPECT_GT(exact_ones, 10000);
  // Terms so far apart that one is only a hint.
  bool rounded = false;
  EXPECT_EQ(Fma(0x1p-600, 0x1p-470, 1, 64, &rounded), 1);
  EXPECT_TRUE(rounded);
  EXPECT_EQ(Fma(-0x1p-600, 0x1p-470, 1, 64, &rounded, Rounding::kTowardZero), NextDown(1, 64));
  EXPECT_EQ(Fma(0x1p500, 0x1p500, -0x1p-1074, 64, &rounded), 0x1p1000);
  EXPECT_TRUE(rounded);
  EXPECT_EQ(Fma(3, 5, -15, 64, &rounded), 0);
  EXPECT_FALSE(rounded);
}

TEST(RoundedArithmetic, OverflowCountsAsRoundedAndDivisionByZeroDoesNot) {
  for (const int width : {16, 32, 64}) {
    const double max = FormatOf(width).max;
    bool rounded = false;
    EXPECT_EQ(Add(max, max, width, &rounded), kInfinity);
    EXPECT_TRUE(rounded);
    EXPECT_EQ(Add(-max, -max, width, &rounded, Rounding::kTowardZero), -max);
    EXPECT_TRUE(rounded);
    EXPECT_EQ(Mul(max, 2, width, nullptr, Rounding::kTowardZero), max);
    EXPECT_EQ(Div(max, 0.5, width, &rounded), kInfinity);
    EXPECT_TRUE(rounded);
    EXPECT_EQ(Fma(max, 2, -max, width, &rounded), max);
    EXPECT_FALSE(rounded);
    EXPECT_EQ(Fma(max, 2, 0, width, &rounded), kInfinity);
    EXPECT_TRUE(rounded);
    EXPECT_EQ(Div(-1, 0, width, &rounded), -kInfinity);
    EXPECT_FALSE(rounded);
    EXPECT_EQ(Add(kInfinity, 1, width, &rounded), kInfinity);
    EXPECT_FALSE(rounded);
    const double nan = Add(kInfinity, -kInfinity, width, &rounded);
    EXPECT_EQ(std::bit_cast<uint64_t>(nan), std::bit_cast<uint64_t>(kNan));
    EXPECT_FALSE(rounded);
    EXPECT_EQ(std::bit_cast<uint64_t>(Sqrt(-1, width)), std::bit_cast<uint64_t>(kNan));
    EXPECT_TRUE(HasSign(Sqrt(-0.0, width)));
    EXPECT_TRUE(HasSign(Add(-0.0, -0.0, width)));
    EXPECT_FALSE(HasSign(Sub(1, 1, width)));
    EXPECT_TRUE(HasSign(Mul(-1, 0, width)));
  }
}

TEST(RoundedArithmetic, LdexpAndConvert) {
  bool rounded = true;
  EXPECT_EQ(Ldexp(3, 4, 32, &rounded), 48);
  EXPECT_FALSE(rounded);
  EXPECT_EQ(Ldexp(1, 128, 32, &rounded), kInfinity);
  EXPECT_TRUE(rounded);
  EXPECT_EQ(Ldexp(-1, 2000000000, 64, &rounded, Rounding::kTowardZero), -FormatOf(64).max);
  EXPECT_TRUE(rounded);
  EXPECT_EQ(Ldexp(3, -150, 32, &rounded), 0x1p-148);  // a tie of 1 and 2 units, to even
  EXPECT_TRUE(rounded);
  EXPECT_EQ(Ldexp(3, -150, 32, &rounded, Rounding::kTowardZero), 0x1p-149);
  EXPECT_EQ(Ldexp(3, -1075, 64, &rounded), 0x1p-1073);
  EXPECT_TRUE(rounded);
  EXPECT_EQ(Ldexp(1, -2000000000, 16, &rounded), 0);
  EXPECT_TRUE(rounded);
  EXPECT_EQ(Ldexp(0, 5000, 32, &rounded), 0);
  EXPECT_FALSE(rounded);
  EXPECT_EQ(Convert(1.0 / 3, 16, &rounded), 0x1.554p-2);
  EXPECT_TRUE(rounded);
  EXPECT_EQ(Convert(0.5, 16, &rounded), 0.5);
  EXPECT_FALSE(rounded);
  EXPECT_EQ(Convert(1e6, 16, &rounded, Rounding::kTowardZero), 65504);
  EXPECT_TRUE(rounded);
}

TEST(RoundedArithmetic, Integers) {
  Random random(8);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t value = random.Next() >> random.Below(64);
    const auto with_sign = static_cast<int64_t>(random.Next()) >> random.Below(64);
    bool rounded = false;
    ASSERT_EQ(FromUnsigned(value, 32, &rounded), static_cast<float>(value));
    ASSERT_EQ(rounded,
              static_cast<Int128>(static_cast<float>(value)) != static_cast<Int128>(value));
    ASSERT_EQ(FromSigned(with_sign, 32, &rounded), static_cast<float>(with_sign));
    ASSERT_EQ(FromSigned(with_sign, 64, &rounded), static_cast<double>(with_sign));
    ASSERT_EQ(rounded, static_cast<Int128>(static_cast<double>(with_sign)) != with_sign);
    const double cut = FromUnsigned(value, 64, nullptr, Rounding::kTowardZero);
    ASSERT_LE(static_cast<Int128>(cut), static_cast<Int128>(value));
    const Int128 gap = std::max<Int128>(1, static_cast<Int128>(NextUp(cut, 64) - cut));
    ASSERT_LT(static_cast<Int128>(value) - static_cast<Int128>(cut), gap);
  }
  // Rounded once: by way of double this would be a tie, and go down.
  EXPECT_EQ(FromUnsigned(0x8000008000000001u, 32), 0x1.000002p63);
  EXPECT_EQ(FromSigned(INT64_MIN, 64), -0x1p63);
  bool rounded = false;
  EXPECT_EQ(FromSigned(-70000, 16, &rounded), -kInfinity);
  EXPECT_TRUE(rounded);

  int64_t integer = 7;
  EXPECT_TRUE(ToSigned(-128.9, 8, &integer));
  EXPECT_EQ(integer, -128);
  EXPECT_FALSE(ToSigned(128, 8, &integer));
  EXPECT_FALSE(ToSigned(kNan, 64, &integer));
  EXPECT_TRUE(ToSigned(-0x1p63, 64, &integer));
  EXPECT_EQ(integer, INT64_MIN);
  EXPECT_FALSE(ToSigned(0x1p63, 64, &integer));
  uint64_t natural = 7;
  EXPECT_TRUE(ToUnsigned(-0.9, 32, &natural));
  EXPECT_EQ(natural, 0u);
  EXPECT_FALSE(ToUnsigned(-1, 32, &natural));
  EXPECT_FALSE(ToUnsigned(0x1p32, 32, &natural));
  EXPECT_TRUE(ToUnsigned(0x1.fffffffffffffp63, 64, &natural));
  EXPECT_EQ(natural, 0xfffffffffffff800u);
}

TEST(RoundedArithmetic, QuantizeToHalf) {
  bool rounded = true;
  EXPECT_EQ(QuantizeToHalf(1.5, &rounded), 1.5);
  EXPECT_FALSE(rounded);
  EXPECT_EQ(QuantizeToHalf(0.1, &rounded), DoubleFromHalf(0x2e66));
  EXPECT_TRUE(rounded);
  EXPECT_EQ(QuantizeToHalf(1e6), kInfinity);
  EXPECT_EQ(QuantizeToHalf(0x1p-14, &rounded), 0x1p-14);
  EXPECT_FALSE(rounded);
  const double small = QuantizeToHalf(-0x1p-20, &rounded);
  EXPECT_EQ(small, 0);
  EXPECT_TRUE(HasSign(small));
  EXPECT_TRUE(IsNan(QuantizeToHalf(kNan)));
}

}  // namespace
}  // namespace refract::math
