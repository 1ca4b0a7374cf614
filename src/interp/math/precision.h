// SPDX-License-Identifier: Apache-2.0
// The permitted error of an operation, and the operands for which it is defined. There is one row
// for each row of the tables "Precision of core SPIR-V Instructions" and "Precision of GLSL.std.450
// Instructions" (Vulkan 1.3, section "Precision and Operation of SPIR-V Instructions").
//
// "Inherited from" a formula means: evaluate the formula with the bounds of its operations, also in
// all forms that are equal by associativity, commutativity and distributivity. The permitted error
// is the distance to the farthest possible value. Taken literally, this guarantees nothing where a
// formula cancels or overflows in an intermediate result (tanh of 100, asinh of -1000), and nothing
// for sin outside of [-pi, pi]. The error is infinite there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interp/math/range_arithmetic.h"

namespace refract {
inline namespace interp {
namespace math {

enum class FloatOp : uint8_t {
  // Correctly rounded.
  kAdd,
  kSub,
  kMul,
  kConvert,  ///< between types, to the width of the result
  kRound,    ///< halves may be rounded in either direction
  kRoundEven,
  kTrunc,
  kAbs,
  kSign,
  kFloor,
  kCeil,
  kFract,
  kModfFraction,
  kFrexpSignificand,
  kLdexp,  ///< y is the exponent
  kMin,
  kMax,
  kClamp,  ///< x, minimum y, maximum z
  kNMin,
  kNMax,
  kNClamp,
  kStep,  ///< edge x, value y
  // With their own bounds.
  kDiv,
  kExp,
  kExp2,
  kLog,
  kLog2,
  kInverseSqrt,
  kSin,
  kCos,
  kAtan,
  kAtan2,  ///< height x, base y: atan2(x, y)
  // Inherited from a formula.
  kRem,
  kMod,
  kFma,  ///< x * y + z
  kPow,
  kSqrt,
  kRadians,
  kDegrees,
  kTan,
  kAsin,
  kAcos,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kMix,         ///< x, y, weight z
  kSmoothStep,  ///< edges x and y, value z
};
inline constexpr int kFloatOps = static_cast<int>(FloatOp::kSmoothStep) + 1;

/// The name in the specification: "OpFAdd", "Exp".
const char* NameOf(FloatOp op);

/// All values that the formula of the row permits for operands with `width` bits. Unlike in
/// AllowedError, the range need not be symmetric about the result.
Range PermittedRange(FloatOp op, int width, double x, double y = 0, double z = 0,
                     bool may_flush = true);

/// The largest permitted distance of an implementation's result from `result`. `result` is the
/// exact result as a double, or rounded to `width` bits (then up to half an ulp is added). 0: no
/// other result is permitted. Infinity: any result is permitted, also if an operand or the result
/// is infinite or NaN, because implementations may assume that these do not occur. With `may_flush`
/// (the default of the specification), denormal operands and results may be replaced with zero.
double AllowedError(FloatOp op, int width, double result, double x, double y = 0, double z = 0,
                    bool may_flush = true);

/// True if GLSL.std.450 and SPIR-V define the result for these operands. They do not for sqrt(-1),
/// asin(2), pow(0, 0), a minimum with NaN, clamp with minimum > maximum, ...
bool IsDefined(FloatOp op, int width, double x, double y = 0, double z = 0);

// Vectors: the permitted range of each component; ErrorOf(range, result) is the allowed error.
// `may_flush` as above. Both operands must have the same number of components.
Range DotRange(std::span<const double> x, std::span<const double> y, int width,
               bool may_flush = true);
Range LengthRange(std::span<const double> x, int width, bool may_flush = true);
Range DistanceRange(std::span<const double> x, std::span<const double> y, int width,
                    bool may_flush = true);
std::vector<Range> NormalizeRanges(std::span<const double> x, int width, bool may_flush = true);
/// Vectors of three components.
std::vector<Range> CrossRanges(std::span<const double> x, std::span<const double> y, int width,
                               bool may_flush = true);
std::vector<Range> FaceForwardRanges(std::span<const double> n, std::span<const double> i,
                                     std::span<const double> reference, int width,
                                     bool may_flush = true);
std::vector<Range> ReflectRanges(std::span<const double> i, std::span<const double> n, int width,
                                 bool may_flush = true);
std::vector<Range> RefractRanges(std::span<const double> i, std::span<const double> n, double eta,
                                 int width, bool may_flush = true);

}  // namespace math
}  // namespace interp
}  // namespace refract
