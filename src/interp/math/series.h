// SPDX-License-Identifier: Apache-2.0
// Coefficients of Taylor series, and their evaluation by Horner's rule in a fixed order of
// operations.
#pragma once

#include <array>

namespace refract {
inline namespace interp {
namespace math {

/// 1 / n!. The factorials up to 22! are exact in double, so each coefficient is rounded once.
inline constexpr auto kInverseFactorial = [] {
  std::array<double, 23> table{};
  double factorial = 1;
  for (int n = 0; n < 23; ++n) {
    if (n > 1) factorial *= n;
    table[n] = 1 / factorial;
  }
  return table;
}();

/// 1 / n.
inline constexpr auto kInverse = [] {
  std::array<double, 28> table{};
  for (int n = 1; n < 28; ++n) table[n] = 1.0 / n;
  return table;
}();

/// c[first] + c[first + step] x + c[first + 2 step] x^2 + ... up to c[last].
template <typename Table>
double Series(const Table& c, double x, int first, int last, int step) {
  double sum = c[last];
  for (int n = last - step; n >= first; n -= step) sum = sum * x + c[n];
  return sum;
}

}  // namespace math
}  // namespace interp
}  // namespace refract
