// SPDX-License-Identifier: Apache-2.0
// How far the result of an operation may be off, and where it is defined at all: one row for each
// row of the tables "Precision of core SPIR-V Instructions" and "Precision of GLSL.std.450
// Instructions" (Vulkan 1.3, section "Precision and Operation of SPIR-V Instructions").
//
// "Inherited from" a formula means: evaluate it with the bounds of its operations, also in forms
// equal by associativity, commutativity and distributivity; the farthest value that can come out
// is the error that the operation may have. Taken at its word this promises nothing where a formula
// cancels or overflows on its way (tanh of 100, asinh of -1000), and nothing for sin outside of
// [-pi, pi]; then the error is infinite.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interp/math/range_arithmetic.h"

namespace refract::inline interp::math {

enum class FloatOp : uint8_t {
  // Correctly rounded.
  kAdd,
  kSub,
  kMul,
  kConvert,  ///< between types, to the width asked about
  kRound,    ///< halves go either way
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
  // With a bound of their own.
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
  // Inherited.
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

/// All values that the formula of the row may come to, for operands that are numbers of `width`
/// bits. Not symmetric about the result, as AllowedError makes it.
Range PermittedRange(FloatOp op, int width, double x, double y = 0, double z = 0,
                     bool may_flush = true);

/// The largest distance from `result` that an implementation's result may have; `result` is the
/// exact one, as a double, or it rounded to `width` (then up to half an ulp more). 0: no other
/// result is allowed; infinity: anything may come out, so also where an operand or the result is
/// infinite or NaN, since those may be assumed not to occur. With `may_flush` (the default of the
/// specification) denormals of operands and result may count as zero.
double AllowedError(FloatOp op, int width, double result, double x, double y = 0, double z = 0,
                    bool may_flush = true);

/// Whether the specifications of GLSL.std.450 and SPIR-V define the value for these operands: not
/// so for sqrt(-1), asin(2), pow(0, 0), a minimum with NaN, clamp with minimum > maximum, ...
bool IsDefined(FloatOp op, int width, double x, double y = 0, double z = 0);

// Vectors: the permitted range of each component; ErrorOf(range, result) is the allowed error.
// `may_flush` as above. Both operands have the same number of components.
Range DotRange(std::span<const double> x, std::span<const double> y, int width,
               bool may_flush = true);
Range LengthRange(std::span<const double> x, int width, bool may_flush = true);
Range DistanceRange(std::span<const double> x, std::span<const double> y, int width,
                    bool may_flush = true);
std::vector<Range> NormalizeRanges(std::span<const double> x, int width, bool may_flush = true);
/// Three components.
std::vector<Range> CrossRanges(std::span<const double> x, std::span<const double> y, int width,
                               bool may_flush = true);
std::vector<Range> FaceForwardRanges(std::span<const double> n, std::span<const double> i,
                                     std::span<const double> reference, int width,
                                     bool may_flush = true);
std::vector<Range> ReflectRanges(std::span<const double> i, std::span<const double> n, int width,
                                 bool may_flush = true);
std::vector<Range> RefractRanges(std::span<const double> i, std::span<const double> n, double eta,
                                 int width, bool may_flush = true);

}  // namespace refract::inline interp::math
