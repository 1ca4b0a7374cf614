// SPDX-License-Identifier: Apache-2.0
// Against the C library in long double, on seeded arguments and special ones; and hashes of results
// on a fixed grid, so that a change of any bit is noticed.
#include "interp/math/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/random.h"
#include "interp/math/float_formats.h"

namespace refract::math {
namespace {

using Long = long double;
using Ours = double (*)(double);
using Theirs = std::function<Long(Long)>;

// Uniform in [low, high].
struct Uniform {
  double low;
  double high;
  double operator()(Random& random) const {
    return low + (high - low) * (static_cast<double>(random.Next() >> 11) * 0x1p-53);
  }
};
// Any finite double.
double AnyFinite(Random& random) {
  for (;;) {
    const double value = std::bit_cast<double>(random.Next());
    if (IsFinite(value)) return value;
  }
}
double AnyPositive(Random& random) {
  return Absolute(AnyFinite(random));
}

// |ours - theirs| <= 2^-50 |theirs|, and half of the smallest denormal more.
::testing::AssertionResult Close(double ours, Long theirs) {
  const bool beyond = theirs > 0x1.fffffffffffff8p1023L || theirs < -0x1.fffffffffffff8p1023L;
  if (std::isnan(theirs) && IsNan(ours)) return ::testing::AssertionSuccess();
  if (beyond && ours == (theirs > 0 ? kInfinity : -kInfinity)) {
    return ::testing::AssertionSuccess();
  }
  const Long allowed = std::fabs(theirs) * 0x1p-50L + 0x1p-1075L;
  if (std::fabs(static_cast<Long>(ours) - theirs) <= allowed) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << ours << " is not close to " << theirs;
}

void Check(Ours ours, const Theirs& theirs, const std::function<double(Random&)>& draw) {
  Random random(7);
  for (int i = 0; i < 50000; ++i) {
    const double x = draw(random);
    ASSERT_TRUE(Close(ours(x), theirs(x))) << "of " << x;
  }
}

// What every function meets: specials, whole numbers, powers of two and their neighbours.
void CheckSpecials(Ours ours, const Theirs& theirs) {
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    for (const double x : {power, std::nextafter(power, 0), 1.5 * power, 1 + power, 1 - power}) {
      ASSERT_TRUE(Close(ours(x), theirs(x))) << "of " << x;
      ASSERT_TRUE(Close(ours(-x), theirs(-x))) << "of " << -x;
    }
  }
  for (int n = -100; n <= 100; ++n) {
    for (const double x : {n * 1.0, n / 8.0, n * 0.1, n * 0x1.921fb54442d18p+0}) {
      ASSERT_TRUE(Close(ours(x), theirs(x))) << "of " << x;
    }
  }
  ASSERT_TRUE(Close(ours(kInfinity), theirs(INFINITY)));
  ASSERT_TRUE(Close(ours(-kInfinity), theirs(-INFINITY)));
  for (const double nan : {kNan, -kNan, std::bit_cast<double>(uint64_t{0x7ff8000000000123})}) {
    ASSERT_EQ(std::bit_cast<uint64_t>(ours(nan)), std::bit_cast<uint64_t>(kNan));
  }
}

Long LongInverseSqrt(Long x) {
  return 1 / std::sqrt(x);
}

TEST(Elementary, Exponentials) {
  const Theirs exp = [](Long x) { return std::exp(x); };
  const Theirs exp2 = [](Long x) { return std::exp2(x); };
  CheckSpecials(Exp, exp);
  CheckSpecials(Exp2, exp2);
  for (const double bound : {1e-3, 1.0, 20.0, 750.0}) {
    Check(Exp, exp, Uniform{-bound, bound});
    Check(Exp2, exp2, Uniform{-bound * 1.45, bound * 1.45});
  }
  for (int n = -1074; n < 1024; ++n) ASSERT_EQ(Exp2(n), std::ldexp(1.0, n));
}

TEST(Elementary, Logarithms) {
  const Theirs log = [](Long x) { return std::log(x); };
  const Theirs log2 = [](Long x) { return std::log2(x); };
  const Theirs inverse_sqrt = LongInverseSqrt;
  CheckSpecials(Log, log);
  CheckSpecials(Log2, log2);
  Check(Log, log, AnyFinite);
  Check(Log2, log2, AnyPositive);
  Check(Log, log, Uniform{0.5, 2});
  Check(Log2, log2, Uniform{0.999, 1.001});
  Check(InverseSqrt, inverse_sqrt, AnyPositive);
  EXPECT_EQ(InverseSqrt(0.0), kInfinity);
  EXPECT_EQ(InverseSqrt(kInfinity), 0);
  EXPECT_TRUE(IsNan(InverseSqrt(-1)));
  for (int n = -1074; n < 1024; ++n) ASSERT_EQ(Log2(std::ldexp(1.0, n)), n);
}

TEST(Elementary, SineAndRelatives) {
  const Theirs sin = [](Long x) { return std::sin(x); };
  const Theirs cos = [](Long x) { return std::cos(x); };
  const Theirs tan = [](Long x) { return std::tan(x); };
  CheckSpecials(Sin, sin);
  CheckSpecials(Cos, cos);
  CheckSpecials(Tan, tan);
  for (const double bound : {0.8, 4.0, 1e3, 1e9, 3.4e38, 1e300}) {
    Check(Sin, sin, Uniform{-bound, bound});
    Check(Cos, cos, Uniform{-bound, bound});
    Check(Tan, tan, Uniform{-bound, bound});
  }
  // The double nearest to a multiple of pi/2 (Muller, Elementary Functions, table 11.1) and a
  // well-known large one; the values were computed with 2,000 bits.
  const double worst = std::ldexp(6381956970095103.0, 797);
  EXPECT_TRUE(Close(Cos(worst), -4.68716592425462761112e-19L));
  EXPECT_TRUE(Close(Sin(1e22), -0.852200849767188801772705893753L));
}

TEST(Elementary, InverseTrigonometry) {
  const Theirs asin = [](Long x) { return std::asin(x); };
  const Theirs acos = [](Long x) { return std::acos(x); };
  const Theirs atan = [](Long x) { return std::atan(x); };
  CheckSpecials(Asin, asin);
  CheckSpecials(Acos, acos);
  CheckSpecials(Atan, atan);
  for (const double bound : {1e-5, 0.5, 1.0}) {
    Check(Asin, asin, Uniform{-bound, bound});
    Check(Acos, acos, Uniform{1 - bound, 1});
    Check(Acos, acos, Uniform{-1, bound - 1});
  }
  Check(Atan, atan, Uniform{-2, 2});
  Check(Atan, atan, AnyFinite);
}

TEST(Elementary, Atan2) {
  Random random(9);
  for (int i = 0; i < 200000; ++i) {
    const bool any = i % 2 == 0;
    const double y = any ? AnyFinite(random) : Uniform{-3, 3}(random);
    const double x = any ? AnyFinite(random) : Uniform{-3, 3}(random);
    ASSERT_TRUE(Close(Atan2(y, x), std::atan2(static_cast<Long>(y), static_cast<Long>(x))))
        << y << " " << x;
  }
  const double specials[] = {0.0, -0.0, 1, -1, kInfinity, -kInfinity, 0x1p-1074, -0x1p1023};
  for (const double y : specials) {
    for (const double x : specials) {
      const double angle = Atan2(y, x);
      ASSERT_TRUE(Close(angle, std::atan2(static_cast<Long>(y), static_cast<Long>(x))));
      ASSERT_EQ(HasSign(angle), std::signbit(y));
    }
  }
  EXPECT_TRUE(IsNan(Atan2(kNan, 1)));
  EXPECT_TRUE(IsNan(Atan2(1, kNan)));
}

TEST(Elementary, Hyperbolics) {
  struct Row {
    Ours ours;
    Theirs theirs;
  };
  const Row rows[] = {{Sinh, [](Long x) { return std::sinh(x); }},
                      {Cosh, [](Long x) { return std::cosh(x); }},
                      {Tanh, [](Long x) { return std::tanh(x); }},
                      {Asinh, [](Long x) { return std::asinh(x); }}};
  for (const Row& row : rows) {
    CheckSpecials(row.ours, row.theirs);
    for (const double bound : {1e-6, 1.5, 30.0, 720.0}) {
      Check(row.ours, row.theirs, Uniform{-bound, bound});
    }
    Check(row.ours, row.theirs, AnyFinite);
  }
  const Theirs acosh = [](Long x) { return std::acosh(x); };
  const Theirs atanh = [](Long x) { return std::atanh(x); };
  CheckSpecials(Acosh, acosh);
  CheckSpecials(Atanh, atanh);
  for (const double bound : {1e-6, 1e-2, 1.0, 1e9}) Check(Acosh, acosh, Uniform{1, 1 + bound});
  Check(Acosh, acosh, AnyPositive);
  for (const double bound : {1e-6, 0.5, 1.0}) Check(Atanh, atanh, Uniform{-bound, bound});
}

TEST(Elementary, Powers) {
  Random random(11);
  for (int i = 0; i < 300000; ++i) {
    // Exponents that keep the result in range, mostly.
    const double x = i % 2 == 0 ? AnyPositive(random) : Uniform{0, 3}(random);
    const double y = x == 0 || x == 1 ? 1 : Uniform{-760, 760}(random) / std::fabs(std::log(x));
    if (!IsFinite(y)) continue;
    const Long theirs = std::pow(static_cast<Long>(x), static_cast<Long>(y));
    ASSERT_TRUE(Close(Pow(x, y), theirs)) << x << " " << y;
  }
  EXPECT_EQ(Pow(3, 5), 243);
  EXPECT_EQ(Pow(0.5, 1074), 0x1p-1074);
  EXPECT_EQ(Pow(10, 15), 1e15);
  EXPECT_EQ(Pow(0, 2), 0);
  EXPECT_EQ(Pow(kInfinity, -1), 0);
  EXPECT_EQ(Pow(0.5, kInfinity), 0);
  EXPECT_EQ(Pow(0.5, -kInfinity), kInfinity);
  EXPECT_EQ(Pow(7, 0), 1);
  EXPECT_EQ(Pow(1, kInfinity), 1);
  EXPECT_EQ(Pow(2, 1e300), kInfinity);
  EXPECT_EQ(Pow(2, -1e300), 0);
  for (const double undefined : {Pow(-1, 2), Pow(0, 0), Pow(0, -1), Pow(kNan, 0), Pow(1, kNan)}) {
    EXPECT_EQ(std::bit_cast<uint64_t>(undefined), std::bit_cast<uint64_t>(kNan));
  }
}

TEST(Elementary, OddFunctionsKeepTheSignOfZero) {
  for (const Ours function : {Sin, Tan, Asin, Atan, Sinh, Tanh, Asinh, Atanh}) {
    EXPECT_TRUE(HasSign(function(-0.0)));
    EXPECT_EQ(function(-0.0), 0);
    EXPECT_FALSE(HasSign(function(0.0)));
  }
}

// Of the bits of 40,000 results each. These hold on every machine and compiler; who changes a
// routine on purpose writes the new number here.
TEST(Elementary, BitsAreAlwaysTheSame) {
  struct Row {
    const char* name;
    Ours function;
    uint64_t hash;
  };
  const Row rows[] = {
      {"Exp", Exp, 0xe1b5e264e6ecd743u},
      {"Exp2", Exp2, 0x8a8d989fcb361bf3u},
      {"Log", Log, 0xf24d690f0467dd06u},
      {"Log2", Log2, 0x18255110bb7cdedeu},
      {"Sin", Sin, 0x99c26499d98bddf9u},
      {"Cos", Cos, 0x0e57d47587f0f42au},
      {"Tan", Tan, 0xc18810419e1a5753u},
      {"Asin", Asin, 0x4d41fe236de07920u},
      {"Acos", Acos, 0x6f5c8e25526f6649u},
      {"Atan", Atan, 0xb1f9707936ed9aceu},
      {"Sinh", Sinh, 0xfaa602b66775c2d2u},
      {"Cosh", Cosh, 0x05b35d1e07717c6cu},
      {"Tanh", Tanh, 0xa857e492b0a119a8u},
      {"Asinh", Asinh, 0xa06854e17cf99a36u},
      {"Acosh", Acosh, 0xa9240ee3e676e4ccu},
      {"Atanh", Atanh, 0x84f0e6038aa2a8b1u},
      {"InverseSqrt", InverseSqrt, 0x997c7716934cd06eu},
      {"Pow", [](double x) { return Pow(Absolute(x), 1.7) + Atan2(x, 0.3); }, 0x8aeb1e9aba4e1882u}};
  for (const Row& row : rows) {
    uint64_t hash = 0;
    const auto add = [&](double x) { hash = Mix(hash, std::bit_cast<uint64_t>(row.function(x))); };
    for (int i = -10000; i < 10000; ++i) {
      add(i * 0x1.3p-12);
      add(std::ldexp(1 + (i & 1023) * 0x1.1p-10, i / 10) * ((i & 1) != 0 ? 1 : -1));
    }
    EXPECT_EQ(hash, row.hash) << row.name;
  }
}

}  // namespace
}  // namespace refract::math
