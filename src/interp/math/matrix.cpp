// SPDX-License-Identifier: Apache-2.0
#include "interp/math/matrix.h"

#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace refract {
inline namespace interp {
namespace math {
namespace {

// A square matrix as a list of numbers, column by column.
struct Square {
  std::span<const double> m;
  size_t n;
  double At(size_t row, size_t column) const { return m[column * n + row]; }
};

// The matrix without one row and one column.
std::vector<double> Without(const Square& a, size_t row, size_t column) {
  std::vector<double> rest;
  for (size_t c = 0; c < a.n; ++c) {
    for (size_t r = 0; r < a.n; ++r) {
      if (r != row && c != column) rest.push_back(a.At(r, c));
    }
  }
  return rest;
}

// The determinant, expanded along the first row; or with `permanent` the sum of the magnitudes of
// all its products, which is the permanent of the magnitudes.
double Expand(const Square& a, bool permanent) {
  const auto entry = [&](size_t column) {
    return permanent ? Absolute(a.At(0, column)) : a.At(0, column);
  };
  if (a.n == 1) return entry(0);
  double sum = 0;
  for (size_t c = 0; c < a.n; ++c) {
    const std::vector<double> rest = Without(a, 0, c);
    const double term = entry(c) * Expand({rest, a.n - 1}, permanent);
    sum += permanent || c % 2 == 0 ? term : -term;
  }
  return sum;
}

int Factorial(int n) {
  return n <= 1 ? 1 : n * Factorial(n - 1);
}

}  // namespace

// A product of n numbers has n - 1 roundings, and the sum of n! of them at most n! - 1, each of one
// unit u of the last place. The error is therefore below ((1 + u)^k - 1) times the permanent of the
// magnitudes.
Bounded Determinant(std::span<const double> m, int n, int width, bool may_flush) {
  const auto side = static_cast<size_t>(n);
  CHECK(n >= 1 && n <= 4 && m.size() == side * side);
  const Square a = {m, side};
  const Format& format = FormatOf(width);
  const double value = Expand(a, false);
  const double size = Expand(a, true);
  if (!(size <= format.max)) return {value, Range::Anything()};
  if (n == 1) return {value, RangeArithmetic(width, may_flush).Operand(value)};
  if (ExactInAnyOrder(m, n, size, width)) return {value, Range::Exactly(value)};
  const int roundings = n - 1 + Factorial(n) - 1;
  double growth = 1;
  for (int i = 0; i < roundings; ++i) growth *= 1 + std::ldexp(1.0, 1 - format.precision);
  const double lost = may_flush ? format.min_normal : format.min_denormal;
  const double bound = (growth - 1) * size + lost * Factorial(n) * n;
  return {value, {value - bound, value + bound}};
}

// The adjugate divided by the determinant: element (row, column) is the cofactor of (column, row).
std::vector<Bounded> Inverse(std::span<const double> m, int n, int width, bool may_flush) {
  const auto side = static_cast<size_t>(n);
  CHECK(n >= 2 && n <= 4 && m.size() == side * side);
  const Square a = {m, side};
  const RangeArithmetic arithmetic(width, may_flush);
  const Bounded determinant = Determinant(m, n, width, may_flush);
  std::vector<Bounded> inverse;
  for (size_t column = 0; column < side; ++column) {
    for (size_t row = 0; row < side; ++row) {
      Bounded cofactor = Determinant(Without(a, column, row), n - 1, width, may_flush);
      if ((row + column) % 2 != 0) {
        cofactor = {-cofactor.value, {-cofactor.range.high, -cofactor.range.low}};
      }
      const double value = determinant.value == 0 ? kNan : cofactor.value / determinant.value;
      inverse.push_back({value, arithmetic.Div(cofactor.range, determinant.range)});
    }
  }
  return inverse;
}

}  // namespace math
}  // namespace interp
}  // namespace refract
