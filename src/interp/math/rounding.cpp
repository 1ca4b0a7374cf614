// SPDX-License-Identifier: Apache-2.0
#include "interp/math/rounding.h"

namespace refract {
inline namespace interp {
namespace math {

double RoundEven(double x) {
  const RoundChoices choices = Round(x);
  if (choices.down == choices.up) return choices.down;
  // One of two neighbouring integers is even; half of it has no fraction.
  const double half = choices.down / 2;
  return half == std::floor(half) ? choices.down : choices.up;
}

RoundChoices Round(double x) {
  const double below = std::floor(x);
  const double fraction = x - below;  // exact: x is an integer if 2^52 <= |x|
  if (!(fraction > 0)) return {x, x};
  const double down = WithSignOf(below, x);
  const double up = WithSignOf(below + 1, x);
  if (fraction < 0.5) return {down, down};
  if (fraction > 0.5) return {up, up};
  return {down, up};
}

double Sign(double x) {
  if (x > 0) return 1;
  if (x < 0) return -1;
  return IsNan(x) ? 0 : x;
}

ModfParts Modf(double x) {
  if (IsNan(x)) return {kNan, kNan};
  if (IsInfinite(x)) return {x, WithSignOf(0, x)};
  const double whole = std::trunc(x);
  return {whole, WithSignOf(x - whole, x)};
}

FrexpParts Frexp(double x) {
  if (x == 0 || !IsFinite(x)) return {x, 0};
  FrexpParts parts;
  parts.significand = std::frexp(x, &parts.exponent);
  return parts;
}

}  // namespace math
}  // namespace interp
}  // namespace refract
