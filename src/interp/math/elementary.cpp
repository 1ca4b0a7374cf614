// SPDX-License-Identifier: Apache-2.0
// Exponentials, logarithms, powers and hyperbolic functions. Every series is a Taylor series that
// is long enough for its interval, so the coefficients need no table and the error is about the
// first omitted term. The argument reduction is that of Cody and Waite 1980, with the remainder
// kept as a Pair.
#include "interp/math/elementary.h"

#include <cmath>

#include "interp/math/double_double.h"
#include "interp/math/float_formats.h"
#include "interp/math/series.h"

namespace refract {
inline namespace interp {
namespace math {
namespace {

constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
constexpr Pair kLn2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr Pair kLog2E = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};

// floor(x + 1/2): the nearest integer; the direction of ties does not matter.
double Nearest(double x) {
  return std::floor(x + 0.5);
}

// e^r * 2^k for |r| <= 0.36. The omitted terms are below 2^-62 (r^15 / 15!).
double ExpReduced(const Pair& r, int k) {
  const double x = r.head;
  // e^r = 1 + r + (r^2 (1/2! + r/3! + ...) + tail (1 + r)).
  const double rest = x * x * Series(kInverseFactorial, x, 2, 14, 1) + r.tail * (1 + x);
  const Pair sum = FastTwoSum(1, x);
  return std::ldexp(sum.head + (sum.tail + rest), k);
}

// e^x * 2^shift. The factor 2^shift keeps halves of large exponentials from overflowing.
double ExpShifted(double x, int shift) {
  if (IsNan(x)) return kNan;
  if (x > 1000) return kInfinity;
  if (x < -1000) return 0;
  const double k = Nearest(x * kInverseLn2);
  // x - k ln 2: the product is exact, and the difference nearly so.
  const Pair product = PairProduct(kLn2, k);
  const Pair r = TwoSum(x, -product.head);
  return ExpReduced(FastTwoSum(r.head, r.tail - product.tail), static_cast<int>(k) + shift);
}

// 2^(x.head + x.tail).
double Exp2Pair(const Pair& x) {
  if (x.head > 1100) return kInfinity;
  if (x.head < -1200) return 0;
  const double k = Nearest(x.head);
  const Pair fraction = FastTwoSum(x.head - k, x.tail);
  return ExpReduced(PairProduct(kLn2, fraction), static_cast<int>(k));
}

// ln(m) for m in [0.7, 1.42], by ln m = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...), where s = (m - 1)
// / (m + 1), |s| < 0.173. The terms from s^7 on are small enough for doubles. The relative error of
// the omitted terms is s^28 / 29 < 2^-75. 1/3 and 1/5 are repeating binary fractions.
Pair LogReduced(const Pair& m) {
  constexpr Pair kThird = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
  constexpr Pair kFifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
  const Pair s = PairQuotient(PairSum(m, {-1, 0}), PairSum(m, {1, 0}));
  const Pair square = PairProduct(s, s);
  const double small = Series(kInverse, square.head, 7, 27, 2);
  Pair sum = PairSum(kFifth, PairProduct(square, small));
  sum = PairSum(kThird, PairProduct(square, sum));
  sum = PairProduct(square, sum);
  const Pair result = PairSum(s, PairProduct(s, sum));
  return {2 * result.head, 2 * result.tail};
}

// x = m * 2^k with m in [sqrt(1/2), sqrt(2)), for a positive finite x.
struct Split {
  Pair m;
  int k;
};
Split SplitPair(const Pair& x) {
  Split split{};
  split.m.head = std::frexp(x.head, &split.k);
  if (split.m.head < 0x1.6a09e667f3bcdp-1) --split.k;
  split.m = {std::ldexp(x.head, -split.k), std::ldexp(x.tail, -split.k)};
  return split;
}

Pair LogPair(const Pair& x) {
  const Split split = SplitPair(x);
  return PairSum(PairProduct(kLn2, split.k), LogReduced(split.m));
}

Pair Log2Pair(double x) {
  const Split split = SplitPair({x, 0});
  return PairSum({static_cast<double>(split.k), 0}, PairProduct(kLog2E, LogReduced(split.m)));
}

// ln(1 + x) for x > -1, also accurate for small x: 1 + x is an exact Pair.
double Log1p(double x) {
  return LogPair(TwoSum(1, x)).Value();
}

// Results of a logarithm that need no series. Returns true if `*result` is such a result.
bool LogSpecial(double x, double* result) {
  if (IsNan(x) || x < 0) {
    *result = kNan;
  } else if (x == 0) {
    *result = -kInfinity;
  } else if (x == kInfinity) {
    *result = x;
  } else {
    return false;
  }
  return true;
}

// Sinh by x + x^3/3! + ... + x^21/21! for |x| < 1, where the difference of exponentials would
// cancel.
double SinhSmall(double x) {
  const double square = x * x;
  return x + x * (square * Series(kInverseFactorial, square, 3, 21, 2));
}

}  // namespace

double Exp(double x) {
  return ExpShifted(x, 0);
}

double Exp2(double x) {
  if (IsNan(x)) return kNan;
  return Exp2Pair({x, 0});
}

double Log(double x) {
  double special;
  return LogSpecial(x, &special) ? special : LogPair({x, 0}).Value();
}

double Log2(double x) {
  double special;
  return LogSpecial(x, &special) ? special : Log2Pair(x).Value();
}

double Pow(double x, double y) {
  if (IsNan(x) || IsNan(y) || x < 0) return kNan;
  if (x == 0) return y > 0 ? 0 : kNan;
  if (y == 0 || x == 1) return 1;
  if (IsInfinite(x)) return y > 0 ? kInfinity : 0;
  if (IsInfinite(y)) return (x > 1) == (y > 0) ? kInfinity : 0;
  // |log2 x| is below 1100, so a product this far out of range always overflows or underflows.
  const Pair log = Log2Pair(x);
  if (Absolute(log.head * y) > 5000) return log.head * y > 0 ? kInfinity : 0;
  return Exp2Pair(PairProduct(log, y));
}

double Sinh(double x) {
  if (IsNan(x)) return kNan;
  if (Absolute(x) < 1) return SinhSmall(x);
  const double half = ExpShifted(Absolute(x), -1);
  return WithSignOf(half - 0.25 / half, x);
}

double Cosh(double x) {
  const double half = ExpShifted(Absolute(x), -1);
  return half + 0.25 / half;
}

double Tanh(double x) {
  if (IsNan(x)) return kNan;
  if (Absolute(x) > 22) return WithSignOf(1, x);  // 1 - 2 e^-44 rounds to 1
  return Sinh(x) / Cosh(x);
}

double Asinh(double x) {
  if (IsNan(x)) return kNan;
  const double a = Absolute(x);
  if (a < 0x1p-28 || IsInfinite(x)) return x;
  // From 2^28 on, sqrt(a^2 + 1) equals a in double.
  if (a > 0x1p28) return WithSignOf(PairSum(LogPair({a, 0}), kLn2).Value(), x);
  const double square = a * a;
  return WithSignOf(Log1p(a + square / (1 + std::sqrt(1 + square))), x);
}

double Acosh(double x) {
  if (IsNan(x) || x < 1) return kNan;
  if (IsInfinite(x)) return x;
  if (x > 0x1p28) return PairSum(LogPair({x, 0}), kLn2).Value();
  const double above = x - 1;
  return Log1p(above + std::sqrt(above * (x + 1)));
}

double Atanh(double x) {
  const double a = Absolute(x);
  if (IsNan(x) || a > 1) return kNan;
  if (a == 1) return WithSignOf(kInfinity, x);
  if (a < 0x1p-28) return x;
  return WithSignOf(Log1p(2 * a / (1 - a)) / 2, x);
}

double InverseSqrt(double x) {
  if (IsNan(x) || x < 0) return kNan;
  if (x == 0) return kInfinity;
  return 1 / std::sqrt(x);
}

}  // namespace math
}  // namespace interp
}  // namespace refract
