// SPDX-License-Identifier: Apache-2.0
// Rounding to integers, and the parts of floating-point numbers, as in GLSL.std.450. All operations
// are exact, so the width does not matter. The sign of zero is kept as in IEEE 754.
#pragma once

#include <cmath>

#include "interp/math/float_formats.h"

namespace refract {
inline namespace interp {
namespace math {

/// Rounds to the nearest integer, halves to the even one.
double RoundEven(double x);

/// GLSL.std.450 Round: "a fraction of 0.5 will round in a direction chosen by the implementation".
struct RoundChoices {
  double down = 0;
  double up = 0;  ///< differs from `down` only for halves
};
RoundChoices Round(double x);

inline double Floor(double x) {
  return std::floor(x);
}
inline double Ceil(double x) {
  return std::ceil(x);
}
inline double Trunc(double x) {
  return std::trunc(x);
}

/// -1, 0 or 1; a zero keeps its sign, and NaN gives 0.
double Sign(double x);

/// x - floor(x), which is not always representable: -2^-40 gives 1 - 2^-40. Use Sub of
/// rounded_arithmetic.h to round it.
inline double Fract(double x) {
  return x - std::floor(x);
}

/// x = whole + fraction, both with the sign of x. For an infinity the fraction is zero.
struct ModfParts {
  double whole = 0;
  double fraction = 0;
};
ModfParts Modf(double x);

/// x = significand * 2^exponent with |significand| in [0.5, 1), or zero for zero. Undefined for
/// infinities and NaN: here the argument itself and the exponent zero.
struct FrexpParts {
  double significand = 0;
  int exponent = 0;
};
FrexpParts Frexp(double x);

}  // namespace math
}  // namespace interp
}  // namespace refract
