// SPDX-License-Identifier: Apache-2.0
// Determinant and inverse of matrices from 2x2 to 4x4. The precision tables have no rows for them,
// so their precision is undefined. The ranges here are those of implementations that sum the
// products of Leibniz's formula in any order, with each operation correctly rounded, and divide
// with the bound of OpFDiv. All known implementations do so.
#pragma once

#include <span>
#include <vector>

#include "interp/math/range_arithmetic.h"

namespace refract {
inline namespace interp {
namespace math {

/// A value in double, and the range of values that an implementation may return.
struct Bounded {
  double value = 0;
  Range range;
};

/// `m` has n * n numbers of `width` bits, column by column; n is 1 to 4. If all partial results are
/// exact, the range is only the value.
Bounded Determinant(std::span<const double> m, int n, int width, bool may_flush = true);

/// Column by column; n is 2 to 4. If the determinant may be zero, the range is everything. If it is
/// zero, the value is undefined.
std::vector<Bounded> Inverse(std::span<const double> m, int n, int width, bool may_flush = true);

}  // namespace math
}  // namespace interp
}  // namespace refract
