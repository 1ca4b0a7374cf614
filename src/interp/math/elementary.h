// SPDX-License-Identifier: Apache-2.0
// Elementary functions in double that use only IEEE operations, so that their results are the same
// on every machine and with every compiler; those of the C library are not. Over the whole range
// the error is below 2^-50 of the result, as tests check, plus half an ulp if the result is
// denormal. That is far below what Vulkan allows for a float, so the value counts as the infinitely
// precise one.
//
// Outside of its domain a function returns kNan, at poles the infinite limit, and for NaN kNan. Odd
// functions keep the sign of zero.
#pragma once

namespace refract {
inline namespace interp {
namespace math {

double Exp(double x);
double Exp2(double x);  ///< exact if x is an integer
double Log(double x);
double Log2(double x);  ///< exact if x is a power of two
/// As in GLSL.std.450: NaN for x < 0; 0^y is 0 for y > 0 and NaN otherwise; x^0 is 1.
double Pow(double x, double y);

double Sin(double x);  ///< Sin, Cos and Tan accept any finite double; infinities return kNan
double Cos(double x);
double Tan(double x);
double Asin(double x);
double Acos(double x);
double Atan(double x);
/// The angle of the point (x, y). If both are zero, as in C, although GLSL.std.450 leaves it
/// undefined.
double Atan2(double y, double x);

double Sinh(double x);
double Cosh(double x);
double Tanh(double x);
double Asinh(double x);
double Acosh(double x);
double Atanh(double x);

/// 1 / sqrt(x); infinity for zeros.
double InverseSqrt(double x);

}  // namespace math
}  // namespace interp
}  // namespace refract
