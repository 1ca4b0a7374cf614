// SPDX-License-Identifier: Apache-2.0
// IEEE 754 numbers of 16, 32 and 64 bits, all held as double: conversions by bits, neighbours and
// the ulp that Vulkan's precision rules speak of. Nothing here asks the C library for a rounding,
// so that the interpreter gives the same bytes on every machine.
#pragma once

#include <bit>
#include <cstdint>

namespace refract::inline interp::math {

/// Which of the two neighbours a result between them becomes (RoundingModeRTE, RoundingModeRTZ).
enum class Rounding : uint8_t { kNearestEven, kTowardZero };

/// What a width of 16, 32 or 64 can hold.
struct Format {
  int precision;        ///< significant bits, the implicit one counted: 11, 24, 53
  int min_exponent;     ///< of the smallest normal number: -14, -126, -1022
  double min_normal;    ///< 2^min_exponent
  double min_denormal;  ///< the smallest positive number
  double max;           ///< the largest finite number
};
/// `width` is 16, 32 or 64; anything else is our own mistake.
const Format& FormatOf(int width);

/// The one NaN that our arithmetic makes: quiet, positive, no payload.
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

/// Directly, not by way of float, so rounded once. A NaN keeps its sign and the upper payload.
uint16_t HalfFromDouble(double value, Rounding rounding = Rounding::kNearestEven);
/// Exact; NaNs keep sign and payload, so that all 65,536 halves survive there and back.
double DoubleFromHalf(uint16_t bits);
float FloatFromDouble(double value, Rounding rounding = Rounding::kNearestEven);
/// The same for the bits of a float, which a float itself may lose where it is a signalling NaN.
uint32_t FloatBitsFromDouble(double value, Rounding rounding = Rounding::kNearestEven);
double DoubleFromFloatBits(uint32_t bits);

/// `value` rounded to a number of `width` bits.
double RoundToWidthSlowly(double value, int width, Rounding rounding);
inline double RoundToWidth(double value, int width, Rounding rounding = Rounding::kNearestEven) {
  if (width == 32 && rounding == Rounding::kNearestEven && value == value) {
    return static_cast<float>(value);  // IEEE: one rounding, to even
  }
  return RoundToWidthSlowly(value, width, rounding);
}
/// Whether a number of `width` bits is `value` exactly; NaN and infinities are.
bool IsRepresentable(double value, int width);

/// The smallest number of `width` bits, infinity included, above `value`, which need not be such a
/// number itself. NaN and +infinity give themselves; a zero is passed without stopping at the
/// other.
double NextUp(double value, int width);
/// The largest number of `width` bits below `value`.
double NextDown(double value, int width);

/// ulp(value) of "Precision of Individual Operations": the least distance of two different finite
/// numbers a <= value <= b of `width` bits, and beyond the largest the distance of the last two. So
/// at a power of two it is the gap below. NaN: infinity.
double Ulp(double value, int width);

/// How far the farther neighbour of a finite number of `width` bits is: that above, twice the ulp
/// for powers of two. So far off another rounding of the same exact result may be.
double NeighbourGap(double value, int width);

/// Not zero and below the smallest normal number of `width` bits.
inline bool IsDenormal(double value, int width) {
  return value != 0 && Absolute(value) < (width == 32   ? 0x1p-126
                                          : width == 16 ? 0x1p-14
                                                        : 0x1p-1022);
}
/// Zero of the same sign for a denormal of `width` bits, else `value`.
double FlushDenormal(double value, int width);

}  // namespace refract::inline interp::math
