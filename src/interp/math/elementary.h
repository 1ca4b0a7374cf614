// SPDX-License-Identifier: Apache-2.0
// Elementary functions in double by IEEE operations alone, so that their bits are the same on
// every machine and compiler; the C library's are not. Over the whole range the error is below
// 2^-50 of the result, as the tests assert, and half an ulp more where that is a denormal: far
// below what Vulkan allows a float, so the value counts as the infinitely precise one.
//
// Outside of its domain a function gives kNan, at poles the infinity of the limit, for NaN kNan;
// functions that are odd keep the sign of zero.
#pragma once

namespace refract::inline interp::math {

double Exp(double x);
double Exp2(double x);  ///< exact where x is an integer
double Log(double x);
double Log2(double x);  ///< exact where x is a power of two
/// As GLSL.std.450 defines it, so NaN for x < 0; 0^y is 0 for y > 0 and NaN else, x^0 is 1.
double Pow(double x, double y);

double Sin(double x);  ///< Sin, Cos and Tan: of any finite double, infinities give kNan
double Cos(double x);
double Tan(double x);
double Asin(double x);
double Acos(double x);
double Atan(double x);
/// The angle of the point (x, y); both zero: as in C, though GLSL.std.450 leaves it undefined.
double Atan2(double y, double x);

double Sinh(double x);
double Cosh(double x);
double Tanh(double x);
double Asinh(double x);
double Acosh(double x);
double Atanh(double x);

/// 1 / sqrt(x); infinity for zeros.
double InverseSqrt(double x);

}  // namespace refract::inline interp::math
