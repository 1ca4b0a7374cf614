// SPDX-License-Identifier: Apache-2.0
#include "interp/math/rounded_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace refract {
inline namespace interp {
namespace math {
namespace {

// An exact result: `head` is the result rounded to the nearest double, `tail` is the sign of the
// result minus head.
struct Exact {
  double head;
  int tail;
};

int SignOf(double value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

// The neighbour of `value` in the direction of `sign`.
double Towards(double value, int sign) {
  return sign > 0 ? NextUp(value, 64) : NextDown(value, 64);
}

// Of the two doubles around an inexact result, the one whose last bit is set. It is never a
// midpoint of a shorter format, so rounding it again gives the same as rounding the exact result.
double RoundedToOdd(const Exact& exact) {
  const bool odd = (std::bit_cast<uint64_t>(exact.head) & 1) != 0;
  return exact.tail == 0 || odd ? exact.head : Towards(exact.head, exact.tail);
}

double Finish(const Exact& exact, int width, bool* rounded, Rounding rounding) {
  double result;
  bool inexact = exact.tail != 0;
  if (width == 64) {
    const bool beyond = exact.tail != 0 && exact.tail == -SignOf(exact.head);
    result =
        rounding == Rounding::kTowardZero && beyond ? Towards(exact.head, exact.tail) : exact.head;
  } else {
    const double odd = RoundedToOdd(exact);
    result = RoundToWidth(odd, width, rounding);
    inexact = inexact || result != odd;
  }
  if (rounded != nullptr) *rounded = inexact;
  return result;
}

// Results that involve a NaN, an infinity or a division by zero. IEEE 754 defines them exactly.
double Special(double result, bool* rounded) {
  if (rounded != nullptr) *rounded = false;
  return IsNan(result) ? kNan : result;
}

// An overflow of finite operands in double: the tail points back to the finite numbers.
Exact Overflowed(double infinity) {
  return {infinity, -SignOf(infinity)};
}

// Dekker's Fast2Sum: exact for |a| >= |b|, and does not overflow unless the sum does.
double SumTail(double a, double b, double sum) {
  if (Absolute(a) < Absolute(b)) std::swap(a, b);
  return b - (sum - a);
}

Exact ExactSum(double a, double b) {
  const double sum = a + b;
  if (!IsFinite(sum)) return Overflowed(sum);
  return {sum, SignOf(SumTail(a, b, sum))};
}

// A finite nonzero number as a mantissa in [0.5, 1) times a power of two, so that residuals neither
// overflow nor underflow.
struct Scaled {
  double mantissa;
  int exponent;
};
Scaled Scale(double value) {
  Scaled scaled{};
  scaled.mantissa = std::frexp(value, &scaled.exponent);
  return scaled;
}

// The exact sign of the sum of `terms`. They are converted to an expansion of parts that do not
// overlap (Shewchuk 1997, Grow-Expansion), whose largest part gives the sign.
int SignOfSum(const double* terms, int count) {
  double parts[4] = {};
  int size = 0;
  for (int i = 0; i < count; ++i) {
    double carry = terms[i];
    for (int j = 0; j < size; ++j) {
      const double sum = carry + parts[j];
      parts[j] = SumTail(carry, parts[j], sum);
      carry = sum;
    }
    parts[size++] = carry;
  }
  for (int i = size - 1; i >= 0; --i) {
    if (parts[i] != 0) return SignOf(parts[i]);
  }
  return 0;
}

// value * 2^shift for the sum in FmaTail. The other terms are multiples of 2^-300, so for much
// smaller values only the sign matters.
double ScaledTerm(double value, int shift) {
  if (value != 0 && shift < -400) return WithSignOf(0x1p-400, value);
  return std::ldexp(value, shift);
}

// The sign of a * b + c - result.
int FmaTail(double a, double b, double c, double result) {
  const Scaled sa = Scale(a);
  const Scaled sb = Scale(b);
  const Scaled sc = Scale(c);
  const double product = sa.mantissa * sb.mantissa;
  const double error = std::fma(sa.mantissa, sb.mantissa, -product);
  const int product_exponent = sa.exponent + sb.exponent;
  const int top = c == 0 ? product_exponent : std::max(product_exponent, sc.exponent);
  const double terms[] = {
      product_exponent - top < -400 ? 0 : std::ldexp(error, product_exponent - top),
      ScaledTerm(product, product_exponent - top), ScaledTerm(sc.mantissa, sc.exponent - top),
      -std::ldexp(result, -top)};
  return SignOfSum(terms, 4);
}

}  // namespace

double Add(double a, double b, int width, bool* rounded, Rounding rounding) {
  if (!IsFinite(a) || !IsFinite(b)) return Special(a + b, rounded);
  return Finish(ExactSum(a, b), width, rounded, rounding);
}

double Sub(double a, double b, int width, bool* rounded, Rounding rounding) {
  return Add(a, -b, width, rounded, rounding);
}

double Mul(double a, double b, int width, bool* rounded, Rounding rounding) {
  const double product = a * b;
  if (!IsFinite(a) || !IsFinite(b) || a == 0 || b == 0) return Special(product, rounded);
  if (width < 64) return Finish({product, 0}, width, rounded, rounding);  // 48 bits at most
  if (!IsFinite(product)) return Finish(Overflowed(product), width, rounded, rounding);
  const Scaled sa = Scale(a);
  const Scaled sb = Scale(b);
  const double scaled = std::ldexp(product, -(sa.exponent + sb.exponent));
  const double residual = std::fma(sa.mantissa, sb.mantissa, -scaled);
  return Finish({product, SignOf(residual)}, width, rounded, rounding);
}

double Div(double a, double b, int width, bool* rounded, Rounding rounding) {
  const double quotient = a / b;
  if (!IsFinite(a) || !IsFinite(b) || a == 0 || b == 0) return Special(quotient, rounded);
  if (!IsFinite(quotient)) return Finish(Overflowed(quotient), width, rounded, rounding);
  // a / b - q has the sign of (a - q b) b, and fma gives a - q b with its sign. This can underflow
  // only for doubles.
  if (width < 64) {
    const double residual = std::fma(-quotient, b, a);
    return Finish({quotient, SignOf(residual) * SignOf(b)}, width, rounded, rounding);
  }
  const Scaled sa = Scale(a);
  const Scaled sb = Scale(b);
  const double scaled = std::ldexp(quotient, sb.exponent - sa.exponent);
  const double residual = std::fma(-scaled, sb.mantissa, sa.mantissa);
  return Finish({quotient, SignOf(residual) * SignOf(b)}, width, rounded, rounding);
}

double Sqrt(double a, int width, bool* rounded, Rounding rounding) {
  if (a < 0) return Special(kNan, rounded);
  const double root = std::sqrt(a);
  if (!IsFinite(a) || a == 0) return Special(root, rounded);
  if (width < 64) {
    return Finish({root, SignOf(std::fma(-root, root, a))}, width, rounded, rounding);
  }
  Scaled scaled = Scale(a);
  if (scaled.exponent % 2 != 0) {
    scaled.mantissa /= 2;
    ++scaled.exponent;
  }
  const double scaled_root = std::ldexp(root, -scaled.exponent / 2);
  const double residual = std::fma(-scaled_root, scaled_root, scaled.mantissa);
  return Finish({root, SignOf(residual)}, width, rounded, rounding);
}

double Fma(double a, double b, double c, int width, bool* rounded, Rounding rounding) {
  const bool finite = IsFinite(a) && IsFinite(b) && IsFinite(c);
  if (!finite) return Special(std::fma(a, b, c), rounded);
  if (a == 0 || b == 0) return Add(a * b, c, width, rounded, rounding);
  if (width < 64) return Finish(ExactSum(a * b, c), width, rounded, rounding);
  const double result = std::fma(a, b, c);
  if (!IsFinite(result)) return Finish(Overflowed(result), width, rounded, rounding);
  return Finish({result, FmaTail(a, b, c, result)}, width, rounded, rounding);
}

double Ldexp(double a, int exponent, int width, bool* rounded, Rounding rounding) {
  if (!IsFinite(a) || a == 0) return Special(a, rounded);
  // Exponents this large overflow or underflow in every format.
  const int clamped = std::clamp(exponent, -5000, 5000);
  const double result = std::ldexp(a, clamped);
  if (!IsFinite(result)) return Finish(Overflowed(result), width, rounded, rounding);
  const Scaled scaled = Scale(a);
  const double back = std::ldexp(result, -(scaled.exponent + clamped));
  return Finish({result, SignOf(scaled.mantissa - back)}, width, rounded, rounding);
}

double FromSigned(int64_t value, int width, bool* rounded, Rounding rounding) {
  // Uses magnitudes, because -2^63 has no positive counterpart in its type.
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : value;
  const double result = FromUnsigned(magnitude, width, rounded, rounding);
  return value < 0 ? -result : result;
}

double FromUnsigned(uint64_t value, int width, bool* rounded, Rounding rounding) {
  if (value < (uint64_t{1} << 24) && width >= 32) {
    if (rounded != nullptr) *rounded = false;
    return static_cast<double>(value);
  }
  // Both halves are exact in double, and so is the error of their sum.
  const double upper = static_cast<double>(value >> 32) * 0x1p32;
  const auto lower = static_cast<double>(value & 0xffffffffu);
  return Finish(ExactSum(upper, lower), width, rounded, rounding);
}

bool ToSigned(double x, int bits, int64_t* result) {
  const double whole = std::trunc(x);
  const double bound = std::ldexp(1.0, bits - 1);
  if (!(whole >= -bound && whole < bound)) return false;
  *result = static_cast<int64_t>(whole);
  return true;
}

bool ToUnsigned(double x, int bits, uint64_t* result) {
  const double whole = std::trunc(x);
  if (!(whole >= 0 && whole < std::ldexp(1.0, bits))) return false;
  *result = static_cast<uint64_t>(whole);
  return true;
}

double QuantizeToHalf(double a, bool* rounded) {
  const double result = Convert(a, 16, rounded);
  if (!IsDenormal(a, 16)) return result;
  if (rounded != nullptr) *rounded = true;
  return WithSignOf(0, a);
}

double Convert(double a, int width, bool* rounded, Rounding rounding) {
  if (!IsFinite(a)) return Special(a, rounded);
  return Finish({a, 0}, width, rounded, rounding);
}

}  // namespace math
}  // namespace interp
}  // namespace refract
