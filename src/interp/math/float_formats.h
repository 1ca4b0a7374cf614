// SPDX-License-Identifier: Apache-2.0
// IEEE 754 numbers of 16, 32 and 64 bits, all held as double: conversions by bits, neighbours, and
// the ulp of Vulkan's precision rules. The C library does no rounding here, so the interpreter's
// results are the same on every machine.
#pragma once

#include <bit>
#include <cstdint>

namespace refract {
inline namespace interp {
namespace math {

/// How a result between two numbers is rounded (RoundingModeRTE, RoundingModeRTZ).
enum class Rounding : uint8_t { kNearestEven, kTowardZero };

/// The limits of a format of 16, 32 or 64 bits.
struct Format {
  int precision;        ///< significant bits, including the implicit one: 11, 24, 53
  int min_exponent;     ///< exponent of the smallest normal number: -14, -126, -1022
  double min_normal;    ///< 2^min_exponent
  double min_denormal;  ///< the smallest positive number
  double max;           ///< the largest finite number
};
/// `width` must be 16, 32 or 64; other values fail a CHECK.
const Format& FormatOf(int width);

/// The only NaN that the interpreter's arithmetic produces: quiet, positive, without payload.
inline constexpr double kNan = std::bit_cast<double>(uint64_t{0x7ff8000000000000});
inline constexpr double kInfinity = std::bit_cast<double>(uint64_t{0x7ff0000000000000});

inline constexpr uint64_t kSignBit = uint64_t{1} << 63;
constexpr bool IsNan(double value) {
  return !(value == value);
}
constexpr bool IsInfinite(double value) {
  return value == kInfinity || value == -kInfinity;
}
constexpr bool IsFinite(double value) {
  return value - value == 0;
}
constexpr bool HasSign(double value) {
  return (std::bit_cast<uint64_t>(value) & kSignBit) != 0;
}
constexpr double Absolute(double value) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) & ~kSignBit);
}
/// `value` with the sign of `sign`.
constexpr double WithSignOf(double value, double sign) {
  return std::bit_cast<double>((std::bit_cast<uint64_t>(value) & ~kSignBit) |
                               (std::bit_cast<uint64_t>(sign) & kSignBit));
}

/// Rounds once, directly and not through float. A NaN keeps its sign and the upper part of its
/// payload.
uint16_t HalfFromDouble(double value, Rounding rounding = Rounding::kNearestEven);
/// Exact. NaNs keep sign and payload, so all 65,536 halves survive a conversion to double and back.
double DoubleFromHalf(uint16_t bits);
float FloatFromDouble(double value, Rounding rounding = Rounding::kNearestEven);
/// The same for the bits of a float. A float variable could lose a signalling NaN.
uint32_t FloatBitsFromDouble(double value, Rounding rounding = Rounding::kNearestEven);
double DoubleFromFloatBits(uint32_t bits);

/// `value` rounded to a number of `width` bits.
double RoundToWidthSlowly(double value, int width, Rounding rounding);
inline double RoundToWidth(double value, int width, Rounding rounding = Rounding::kNearestEven) {
  if (width == 32 && rounding == Rounding::kNearestEven && value == value) {
    return static_cast<float>(value);  // IEEE: one rounding, to nearest even
  }
  return RoundToWidthSlowly(value, width, rounding);
}
/// True if a number of `width` bits equals `value`; also true for NaN and infinities.
bool IsRepresentable(double value, int width);

/// The smallest number of `width` bits above `value`, infinity included. `value` need not be such a
/// number. For NaN and +infinity returns the argument. Does not stop at the zero of the other sign.
double NextUp(double value, int width);
/// The largest number of `width` bits below `value`.
double NextDown(double value, int width);

/// ulp(value) as in "Precision of Individual Operations": the least distance of two different
/// finite numbers a <= value <= b of `width` bits; above the largest number, the distance of the
/// last two. For a power of two it is the gap below. For NaN: infinity.
double Ulp(double value, int width);

/// The distance to the farther neighbour of a finite number of `width` bits, which is the one
/// above: twice the ulp for powers of two. Another rounding of the same exact result may be this
/// far off.
double NeighbourGap(double value, int width);

/// True for nonzero values below the smallest normal number of `width` bits.
inline bool IsDenormal(double value, int width) {
  return value != 0 && Absolute(value) < (width == 32   ? 0x1p-126
                                          : width == 16 ? 0x1p-14
                                                        : 0x1p-1022);
}
/// A zero of the same sign for a denormal of `width` bits, else `value`.
double FlushDenormal(double value, int width);

}  // namespace math
}  // namespace interp
}  // namespace refract
