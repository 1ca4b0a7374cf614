// SPDX-License-Identifier: Apache-2.0
// The values that a Vulkan implementation may return for an operation, as a range. This covers the
// rows of the tables in "Precision and Operation of SPIR-V Instructions" with their own bounds.
// Rows that are "inherited from" a formula evaluate it with these operations (precision.cpp).
//
// Widths: for 16 and 32 bits, the columns of the tables. For 64 bits the specification requires
// only "at least that of single precision". Here, correctly rounded operations are assumed to be
// correctly rounded at 64 bits too (IEEE, and all implementations). Bounds in ULP and absolute
// bounds are those of single precision, with the ulp of 24 significant bits and without a limit of
// the exponent.
//
// Denormals: unless an execution mode forbids it, denormal operands, results and intermediate
// results may be flushed to zero, so a range with a denormal is extended to zero.
#pragma once

#include <span>

#include "interp/math/float_formats.h"

namespace refract {
inline namespace interp {
namespace math {

/// The numbers by which the columns of the tables differ between widths.
struct PrecisionColumn {
  double div_limit;     ///< OpFDiv: 2.5 ULP for |y| in [1 / limit, limit]
  double exp_ulps;      ///< exp, exp2: this + 2 |x| ULP
  double log_absolute;  ///< log, log2: absolute error for x in [0.5, 2]; 3 ULP outside
  double wave;          ///< sin, cos: absolute error in [-pi, pi]
  double atan_ulps;     ///< atan, atan2
};
const PrecisionColumn& ColumnOf(int width);

/// The ulp for bounds at `width` bits: Ulp, except that for 64 bits it is that of 24 significant
/// bits.
double PrecisionUlp(double value, int width);

/// All values from low to high. [-infinity, infinity] means anything, including NaN.
struct Range {
  double low = 0;
  double high = 0;

  static constexpr Range Anything() { return {-kInfinity, kInfinity}; }
  static constexpr Range Exactly(double value) { return {value, value}; }
  bool IsFinite() const { return math::IsFinite(low) && math::IsFinite(high); }
  bool Contains(double value) const { return low <= value && value <= high; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// The smallest range that contains both.
Range Hull(const Range& a, const Range& b);

/// The largest distance of a value of `range` from `result`; infinity if the range or `result` is
/// not finite.
double ErrorOf(const Range& range, double result);

/// True if a sum of products of `degree` of the `factors` needs no rounding in any order. All
/// partial results are then multiples of one power of two, and they are small enough to be
/// represented with `width` bits. `size` is the sum of the magnitudes of the products.
bool ExactInAnyOrder(std::span<const double> factors, int degree, double size, int width);

/// Operations of one width on ranges. If an operand may be infinite or NaN, or the result is not
/// mathematically defined for some operands in the ranges, the result is anything.
class RangeArithmetic {
 public:
  explicit RangeArithmetic(int width, bool may_flush = true)
      : width_(width), may_flush_(may_flush) {}

  int width() const { return width_; }
  /// The range of an operand: its value, and zero if it may be flushed.
  Range Operand(double value) const;

  // Correctly rounded; the direction is not specified.
  Range Add(const Range& a, const Range& b) const;
  Range Sub(const Range& a, const Range& b) const;
  Range Mul(const Range& a, const Range& b) const;
  Range Square(const Range& a) const;
  Range Fused(double a, double b, double c) const;
  Range Scaled(double a, int exponent) const;
  Range Converted(double a) const;

  // With their own bounds.
  Range Div(const Range& a, const Range& b) const;
  Range Exp(const Range& a) const;
  Range Exp2(const Range& a) const;
  Range Log(const Range& a) const;
  Range Log2(const Range& a) const;
  Range InverseSqrt(const Range& a) const;
  Range Sin(const Range& a) const;  ///< for a single value; anything outside of [-pi, pi]
  Range Cos(const Range& a) const;
  Range Atan2(const Range& y, const Range& x) const;

  /// Inherited from 1.0 / inversesqrt(x), but sqrt(0) is 0.
  Range Sqrt(const Range& a) const;

 private:
  using Function = double (*)(double);
  Range Finish(Range range) const;
  Range WithinUlps(Range range, double ulps) const;
  Range Exponential(const Range& a, Function function) const;
  Range Logarithm(const Range& a, Function function) const;
  Range Sinusoid(const Range& a, Function function) const;

  int width_;
  bool may_flush_;
};

}  // namespace math
}  // namespace interp
}  // namespace refract
