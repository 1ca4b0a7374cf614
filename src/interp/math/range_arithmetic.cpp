// SPDX-License-Identifier: Apache-2.0
#include "interp/math/range_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "interp/math/elementary.h"
#include "interp/math/rounded_arithmetic.h"

namespace refract {
inline namespace interp {
namespace math {
namespace {

constexpr double kPi = 0x1.921fb54442d18p+1;

constexpr PrecisionColumn kHalfColumn = {0x1p14, 1, 0x1p-7, 0x1p-7, 5};
constexpr PrecisionColumn kSingleColumn = {0x1p126, 3, 0x1p-21, 0x1p-11, 4096};
constexpr PrecisionColumn kDoubleColumn = {0x1p1022, 3, 0x1p-21, 0x1p-11, 4096};

// Both roundings of an exact result, of which `cut` is the one towards zero.
Range BothRoundings(double cut, bool rounded, int width) {
  if (!rounded) return Range::Exactly(cut);
  return HasSign(cut) ? Range{NextDown(cut, width), cut} : Range{cut, NextUp(cut, width)};
}

using Binary = double (*)(double, double, int, bool*, Rounding);
Range BothRoundings(Binary operation, double a, double b, int width) {
  bool rounded = false;
  const double cut = operation(a, b, width, &rounded, Rounding::kTowardZero);
  return BothRoundings(cut, rounded, width);
}

// The exponent of the lowest set bit of a nonzero number.
int LowestBit(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const auto integer = static_cast<uint64_t>(std::ldexp(Absolute(mantissa), 53));
  return exponent - 53 + std::countr_zero(integer);
}

// The range of a function that is monotone in each operand: it has its extremes at the corners.
template <typename Function>
Range Corners(const Range& a, const Range& b, const Function& function) {
  return Hull(Hull(function(a.low, b.low), function(a.low, b.high)),
              Hull(function(a.high, b.low), function(a.high, b.high)));
}

}  // namespace

const PrecisionColumn& ColumnOf(int width) {
  return width == 16 ? kHalfColumn : width == 32 ? kSingleColumn : kDoubleColumn;
}

double PrecisionUlp(double value, int width) {
  return width == 64 ? Ulp(value, 64) * 0x1p29 : Ulp(value, width);
}

Range Hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

double ErrorOf(const Range& range, double result) {
  if (!range.IsFinite() || !IsFinite(result)) return kInfinity;
  return std::max({result - range.low, range.high - result, 0.0});
}

bool ExactInAnyOrder(std::span<const double> factors, int degree, double size, int width) {
  const Format& format = FormatOf(width);
  int lowest = 2000;
  for (const double factor : factors) {
    if (!IsFinite(factor)) return false;
    if (factor != 0) lowest = std::min(lowest, LowestBit(factor));
  }
  if (lowest == 2000) return true;
  const bool denormal = std::min(lowest, lowest * degree) < format.min_exponent;
  if (denormal || !(size <= format.max)) return false;
  return std::ldexp(size, -lowest * degree) <= std::ldexp(1.0, format.precision);
}

// Adds zero if denormals of the range may be flushed. If an end is NaN, anything is possible.
Range RangeArithmetic::Finish(Range range) const {
  if (IsNan(range.low) || IsNan(range.high)) return Range::Anything();
  if (!may_flush_) return range;
  if (IsDenormal(range.low, width_) && range.low > 0) range.low = 0;
  if (IsDenormal(range.high, width_) && range.high < 0) range.high = 0;
  return range;
}

Range RangeArithmetic::Operand(double value) const {
  if (!IsFinite(value)) return Range::Anything();
  return may_flush_ && IsDenormal(value, width_) ? Hull(Range::Exactly(value), {0, 0})
                                                 : Range::Exactly(value);
}

Range RangeArithmetic::Add(const Range& a, const Range& b) const {
  if (!a.IsFinite() || !b.IsFinite()) return Range::Anything();
  return Finish({BothRoundings(math::Add, a.low, b.low, width_).low,
                 BothRoundings(math::Add, a.high, b.high, width_).high});
}

Range RangeArithmetic::Sub(const Range& a, const Range& b) const {
  return Add(a, {-b.high, -b.low});
}

Range RangeArithmetic::Mul(const Range& a, const Range& b) const {
  if (!a.IsFinite() || !b.IsFinite()) return Range::Anything();
  return Finish(
      Corners(a, b, [this](double x, double y) { return BothRoundings(math::Mul, x, y, width_); }));
}

Range RangeArithmetic::Square(const Range& a) const {
  const double far = std::max(Absolute(a.low), Absolute(a.high));
  const double near = a.Contains(0) ? 0 : std::min(Absolute(a.low), Absolute(a.high));
  return Mul({near, far}, {near, far});
}

Range RangeArithmetic::Fused(double a, double b, double c) const {
  if (!IsFinite(a) || !IsFinite(b) || !IsFinite(c)) return Range::Anything();
  bool rounded = false;
  const double cut = Fma(a, b, c, width_, &rounded, Rounding::kTowardZero);
  return Finish(BothRoundings(cut, rounded, width_));
}

Range RangeArithmetic::Scaled(double a, int exponent) const {
  if (!IsFinite(a)) return Range::Anything();
  bool rounded = false;
  const double cut = Ldexp(a, exponent, width_, &rounded, Rounding::kTowardZero);
  Range range = Finish(BothRoundings(cut, rounded, width_));
  // GLSL.std.450 Ldexp: below the smallest normal exponent the result may be flushed to zero.
  return exponent < FormatOf(width_).min_exponent ? Hull(range, {0, 0}) : range;
}

Range RangeArithmetic::Converted(double a) const {
  if (!IsFinite(a)) return Range::Anything();
  bool rounded = false;
  const double cut = Convert(a, width_, &rounded, Rounding::kTowardZero);
  return Finish(BothRoundings(cut, rounded, width_));
}

// If the bound exceeds the largest finite number, infinity is also permitted.
Range RangeArithmetic::WithinUlps(Range range, double ulps) const {
  const double max = FormatOf(width_).max;
  range.low -= ulps * PrecisionUlp(range.low, width_);
  range.high += ulps * PrecisionUlp(range.high, width_);
  if (range.low < -max) range.low = -kInfinity;
  if (range.high > max) range.high = kInfinity;
  return Finish(range);
}

Range RangeArithmetic::Div(const Range& a, const Range& b) const {
  const double limit = ColumnOf(width_).div_limit;
  const double nearest = std::min(Absolute(b.low), Absolute(b.high));
  const double farthest = std::max(Absolute(b.low), Absolute(b.high));
  if (!a.IsFinite() || b.Contains(0) || nearest < 1 / limit || !(farthest <= limit)) {
    return Range::Anything();
  }
  return WithinUlps(Corners(a, b, [](double x, double y) { return Range::Exactly(x / y); }), 2.5);
}

Range RangeArithmetic::Exponential(const Range& a, Function function) const {
  if (!a.IsFinite()) return Range::Anything();
  const double size = std::max(Absolute(a.low), Absolute(a.high));
  return WithinUlps({function(a.low), function(a.high)}, ColumnOf(width_).exp_ulps + 2 * size);
}

Range RangeArithmetic::Exp(const Range& a) const {
  return Exponential(a, math::Exp);
}
Range RangeArithmetic::Exp2(const Range& a) const {
  return Exponential(a, math::Exp2);
}

Range RangeArithmetic::Logarithm(const Range& a, Function function) const {
  if (!a.IsFinite() || !(a.low > 0)) return Range::Anything();
  const double absolute = ColumnOf(width_).log_absolute;
  const Range inside = {std::max(a.low, 0.5), std::min(a.high, 2.0)};
  const Range near = {function(inside.low) - absolute, function(inside.high) + absolute};
  if (inside.low == a.low && inside.high == a.high) return Finish(near);
  const Range far = WithinUlps({function(a.low), function(a.high)}, 3);
  return inside.low <= inside.high ? Finish(Hull(near, far)) : far;
}

Range RangeArithmetic::Log(const Range& a) const {
  return Logarithm(a, math::Log);
}
Range RangeArithmetic::Log2(const Range& a) const {
  return Logarithm(a, math::Log2);
}

Range RangeArithmetic::InverseSqrt(const Range& a) const {
  if (!a.IsFinite() || !(a.low > 0)) return Range::Anything();
  return WithinUlps({math::InverseSqrt(a.high), math::InverseSqrt(a.low)}, 2);
}

Range RangeArithmetic::Sqrt(const Range& a) const {
  if (!a.IsFinite() || a.low < 0) return Range::Anything();
  if (a.high == 0) return a;  // zeros "as dictated by IEEE 754"
  if (a.low > 0) return Div(Range::Exactly(1), InverseSqrt(a));
  return Hull({0, 0}, Div(Range::Exactly(1), InverseSqrt(Range::Exactly(a.high))));
}

Range RangeArithmetic::Sinusoid(const Range& a, Function function) const {
  if (!a.IsFinite() || Absolute(a.low) > kPi || Absolute(a.high) > kPi) return Range::Anything();
  const double error = ColumnOf(width_).wave;
  const Range ends = Hull(Range::Exactly(function(a.low)), Range::Exactly(function(a.high)));
  return Finish({ends.low - error, ends.high + error});
}

Range RangeArithmetic::Sin(const Range& a) const {
  return Sinusoid(a, math::Sin);
}
Range RangeArithmetic::Cos(const Range& a) const {
  return Sinusoid(a, math::Cos);
}

Range RangeArithmetic::Atan2(const Range& y, const Range& x) const {
  if (!y.IsFinite() || !x.IsFinite() || (y.Contains(0) && x.Contains(0))) {
    return Range::Anything();
  }
  Range angle = Corners(y, x, [](double p, double q) { return Range::Exactly(math::Atan2(p, q)); });
  // The angle jumps at the negative half of the x axis.
  if (HasSign(y.low) && y.high >= 0 && x.low < 0) angle = {-kPi, kPi};
  return WithinUlps(angle, ColumnOf(width_).atan_ulps);
}

}  // namespace math
}  // namespace interp
}  // namespace refract
