// SPDX-License-Identifier: Apache-2.0
// Rounding to whole numbers and taking floating-point numbers apart, as GLSL.std.450 has it. All
// exact, so the width does not matter; the sign of zero is kept as IEEE 754 would.
#pragma once

#include <cmath>

#include "interp/math/float_formats.h"

namespace refract::inline interp::math {

/// To the nearest whole number, halves to the even one.
double RoundEven(double x);

/// GLSL.std.450 Round: "a fraction of 0.5 will round in a direction chosen by the implementation".
struct RoundChoices {
  double down = 0;
  double up = 0;  ///< different from down only for halves
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

/// -1, 0 or 1; a zero keeps its sign, NaN gives 0.
double Sign(double x);

/// x - floor(x), which is not always representable: -2^-40 gives 1 - 2^-40 (Sub of
/// rounded_arithmetic.h rounds it).
inline double Fract(double x) {
  return x - std::floor(x);
}

/// x = whole + fraction, both with the sign of x; an infinity has the fraction zero.
struct ModfParts {
  double whole = 0;
  double fraction = 0;
};
ModfParts Modf(double x);

/// x = significand * 2^exponent, |significand| in [0.5, 1), zero for zero. Undefined for infinities
/// and NaN: here themselves and zero.
struct FrexpParts {
  double significand = 0;
  int exponent = 0;
};
FrexpParts Frexp(double x);

}  // namespace refract::inline interp::math
