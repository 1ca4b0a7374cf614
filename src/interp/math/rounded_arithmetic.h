// SPDX-License-Identifier: Apache-2.0
// The operations that IEEE 754 defines exactly, for numbers of 16, 32 and 64 bits held as double:
// the exact result rounded once, and whether it had to be rounded. The exact result is represented
// by a double and the sign of the remainder, which error-free transformations compute (Dekker 1971,
// Knuth's TwoSum; Muller et al., Handbook of Floating-Point Arithmetic, chapter 4). Rounding twice
// is correct if the first rounding is to odd (Boldo and Melquiond 2008).
#pragma once

#include "interp/math/float_formats.h"

namespace refract {
inline namespace interp {
namespace math {

/// Operands are numbers of `width` bits. If `rounded` is not null, it becomes true if the exact
/// result is not such a number (also on overflow), so that Vulkan's "correctly rounded" permits two
/// results. It is false if an operand is NaN or infinite, or a divisor is zero. A NaN result is
/// kNan.
double Add(double a, double b, int width, bool* rounded = nullptr,
           Rounding rounding = Rounding::kNearestEven);
double Sub(double a, double b, int width, bool* rounded = nullptr,
           Rounding rounding = Rounding::kNearestEven);
double Mul(double a, double b, int width, bool* rounded = nullptr,
           Rounding rounding = Rounding::kNearestEven);
double Div(double a, double b, int width, bool* rounded = nullptr,
           Rounding rounding = Rounding::kNearestEven);
double Sqrt(double a, int width, bool* rounded = nullptr,
            Rounding rounding = Rounding::kNearestEven);
/// a * b + c, rounded once.
double Fma(double a, double b, double c, int width, bool* rounded = nullptr,
           Rounding rounding = Rounding::kNearestEven);
/// a * 2^exponent. Vulkan and GLSL.std.450 leave it undefined for an exponent above the largest of
/// the format; here the result is infinity.
double Ldexp(double a, int exponent, int width, bool* rounded = nullptr,
             Rounding rounding = Rounding::kNearestEven);
/// Converts a number of any width, held as double, to `width`.
double Convert(double a, int width, bool* rounded = nullptr,
               Rounding rounding = Rounding::kNearestEven);

/// Integers of up to 64 bits, rounded once to `width`.
double FromSigned(int64_t value, int width, bool* rounded = nullptr,
                  Rounding rounding = Rounding::kNearestEven);
double FromUnsigned(uint64_t value, int width, bool* rounded = nullptr,
                    Rounding rounding = Rounding::kNearestEven);
/// Writes the integral part of `x` to `result`, as an integer of 8 to 64 bits. Returns false and
/// writes nothing if it does not fit or x is NaN; SPIR-V leaves that undefined.
bool ToSigned(double x, int bits, int64_t* result);
bool ToUnsigned(double x, int bits, uint64_t* result);

/// OpQuantizeToF16: like Convert to 16 bits, but results below the normal numbers of 16 bits become
/// zero.
double QuantizeToHalf(double a, bool* rounded = nullptr);

}  // namespace math
}  // namespace interp
}  // namespace refract
