// SPDX-License-Identifier: Apache-2.0
// What a Vulkan implementation may make of an operation, as the range of values it may return:
// the rows of the tables in "Precision and Operation of SPIR-V Instructions" that state a bound of
// their own. Rows that say "inherited from" a formula evaluate it with these (precision.cpp).
//
// Widths: the columns for 16 and 32 bits as they stand. Of 64 bits the specification says no more
// than "at least that of single precision": what is correctly rounded we take to be so at 64 bits
// (IEEE, and all implementations), bounds in ULP and absolute ones are those of single precision,
// with the ulp of 24 significant bits and no limit of the exponent.
//
// Denormals: unless an execution mode forbids it, those of operands and results, intermediate ones
// included, may be flushed to zero, so a range that holds one is extended to zero.
#pragma once

#include <span>

#include "interp/math/float_formats.h"

namespace refract::inline interp::math {

/// What the columns of the tables say for a width, where they differ.
struct PrecisionColumn {
  double div_limit;     ///< OpFDiv: 2.5 ULP for |y| in [1 / limit, limit]
  double exp_ulps;      ///< exp, exp2: this + 2 |x| ULP
  double log_absolute;  ///< log, log2: absolute error for x in [0.5, 2]; 3 ULP outside
  double wave;          ///< sin, cos: absolute error in [-pi, pi]
  double atan_ulps;     ///< atan, atan2
};
const PrecisionColumn& ColumnOf(int width);

/// The ulp that bounds of `width` bits are counted in: Ulp, and for 64 bits that of 24 bits.
double PrecisionUlp(double value, int width);

/// All values from low to high. Everything, NaN included, is [-infinity, infinity].
struct Range {
  double low = 0;
  double high = 0;

  static constexpr Range Anything() { return {-kInfinity, kInfinity}; }
  static constexpr Range Exactly(double value) { return {value, value}; }
  bool IsFinite() const { return math::IsFinite(low) && math::IsFinite(high); }
  bool Contains(double value) const { return low <= value && value <= high; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// The smallest range that holds both.
Range Hull(const Range& a, const Range& b);

/// The largest distance of a value of `range` from `result`; infinity where the range is not finite
/// or `result` is not.
double ErrorOf(const Range& range, double result);

/// Whether sums of products of `degree` of the `factors` need no rounding in any order: all partial
/// results are multiples of one power of two and, `size` being the sum of the magnitudes of the
/// products, small enough to be represented with `width` bits.
bool ExactInAnyOrder(std::span<const double> factors, int degree, double size, int width);

/// Operations of one width on ranges. Where an operand may be infinite or NaN, or the result is not
/// mathematically defined for some operands of the ranges, anything may come out.
class RangeArithmetic {
 public:
  explicit RangeArithmetic(int width, bool may_flush = true)
      : width_(width), may_flush_(may_flush) {}

  int width() const { return width_; }
  /// An operand as it is, or flushed.
  Range Operand(double value) const;

  // Correctly rounded, in a direction that is not specified.
  Range Add(const Range& a, const Range& b) const;
  Range Sub(const Range& a, const Range& b) const;
  Range Mul(const Range& a, const Range& b) const;
  Range Square(const Range& a) const;
  Range Fused(double a, double b, double c) const;
  Range Scaled(double a, int exponent) const;
  Range Converted(double a) const;

  // With a bound of their own.
  Range Div(const Range& a, const Range& b) const;
  Range Exp(const Range& a) const;
  Range Exp2(const Range& a) const;
  Range Log(const Range& a) const;
  Range Log2(const Range& a) const;
  Range InverseSqrt(const Range& a) const;
  Range Sin(const Range& a) const;  ///< of a single value; anything outside of [-pi, pi]
  Range Cos(const Range& a) const;
  Range Atan2(const Range& y, const Range& x) const;

  /// Inherited from 1.0 / inversesqrt(x); but of zero it is zero.
  Range Sqrt(const Range& a) const;

 private:
  using Function = double (*)(double);
  Range Finish(Range range) const;
  Range WithinUlps(Range range, double ulps) const;
  Range Exponential(const Range& a, Function function) const;
  Range Logarithm(const Range& a, Function function) const;
  Range Wave(const Range& a, Function function) const;

  int width_;
  bool may_flush_;
};

}  // namespace refract::inline interp::math
