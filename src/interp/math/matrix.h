// SPDX-License-Identifier: Apache-2.0
// Determinant and inverse of matrices of 2x2 to 4x4. The tables of precision have no row for them,
// which leaves their precision undefined; the ranges here are those of implementations that sum the
// products of Leibniz's formula in any order, each operation correctly rounded, and divide with
// OpFDiv's bound. All that we know of do so.
#pragma once

#include <span>
#include <vector>

#include "interp/math/range_arithmetic.h"

namespace refract::inline interp::math {

/// A value in double, and the values that an implementation may give.
struct Bounded {
  double value = 0;
  Range range;
};

/// `m` holds n * n numbers of `width` bits, column by column; n is 1 to 4. Where all partial
/// results are exact the range is the value alone.
Bounded Determinant(std::span<const double> m, int n, int width, bool may_flush = true);

/// Column by column; n is 2 to 4. Of a matrix whose determinant may be zero anything may come out,
/// and the value is undefined where it is zero.
std::vector<Bounded> Inverse(std::span<const double> m, int n, int width, bool may_flush = true);

}  // namespace refract::inline interp::math
