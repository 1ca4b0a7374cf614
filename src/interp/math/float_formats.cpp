// SPDX-License-Identifier: Apache-2.0
#include "interp/math/float_formats.h"

#include <algorithm>

#include "base/check.h"

namespace refract {
inline namespace interp {
namespace math {
namespace {

constexpr uint64_t kMantissaMask = (uint64_t{1} << 52) - 1;

uint64_t Bits(double value) {
  return std::bit_cast<uint64_t>(value);
}

double TwoTo(int exponent) {
  if (exponent < -1022) return std::bit_cast<double>(uint64_t{1} << (exponent + 1074));
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

constexpr Format kHalf = {11, -14, 0x1p-14, 0x1p-24, 0x1.ffcp15};
constexpr Format kSingle = {24, -126, 0x1p-126, 0x1p-149, 0x1.fffffep127};
constexpr Format kDouble = {53, -1022, 0x1p-1022, 0x0.0000000000001p-1022, 0x1.fffffffffffffp1023};

// The magnitude of a half, in its lower 15 bits, from a finite positive double.
uint64_t HalfMagnitude(uint64_t bits, Rounding rounding) {
  const int exponent = static_cast<int>(bits >> 52) - 1023;
  const uint64_t overflow = rounding == Rounding::kTowardZero ? 0x7bff : 0x7c00;
  if (exponent >= 16) return overflow;
  if (exponent < -26) return 0;  // less than half of the smallest denormal
  const uint64_t mantissa = (bits & kMantissaMask) | (uint64_t{1} << 52);
  // In units of the last place of the half; these do not get smaller for denormals.
  const int shift = std::max(exponent, -14) - 10 - (exponent - 52);
  const uint64_t kept = mantissa >> shift;
  const uint64_t rest = mantissa - (kept << shift);
  const uint64_t tie = uint64_t{1} << (shift - 1);
  const bool up =
      rounding == Rounding::kNearestEven && (rest > tie || (rest == tie && (kept & 1) != 0));
  // `kept` includes the implicit bit, which adds one to the exponent; so does a carry.
  const uint64_t biased = exponent < -14 ? 0 : static_cast<uint64_t>(exponent + 14);
  return std::min((biased << 10) + kept + (up ? 1 : 0), overflow);
}

// The bits of the next number away from zero are the next integer.
template <typename Word>
Word NextBitsUp(Word bits) {
  constexpr Word kSign = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1));
  if ((bits & ~kSign) == 0) return 1;
  return static_cast<Word>((bits & kSign) != 0 ? bits - 1 : bits + 1);
}

double NextRepresentableUp(double value, int width) {
  if (width == 16) return DoubleFromHalf(NextBitsUp(HalfFromDouble(value)));
  if (width == 32) return DoubleFromFloatBits(NextBitsUp(FloatBitsFromDouble(value)));
  return std::bit_cast<double>(NextBitsUp(Bits(value)));
}

}  // namespace

const Format& FormatOf(int width) {
  CHECK(width == 16 || width == 32 || width == 64);
  return width == 16 ? kHalf : width == 32 ? kSingle : kDouble;
}

uint16_t HalfFromDouble(double value, Rounding rounding) {
  const uint64_t magnitude = Bits(value) & ~kSignBit;
  const uint64_t sign = HasSign(value) ? 0x8000 : 0;
  if (IsNan(value)) {
    const uint64_t payload = (magnitude & kMantissaMask) >> 42;
    return static_cast<uint16_t>(sign | 0x7c00 | (payload != 0 ? payload : 0x200));
  }
  if (IsInfinite(value)) return static_cast<uint16_t>(sign | 0x7c00);
  return static_cast<uint16_t>(sign | HalfMagnitude(magnitude, rounding));
}

double DoubleFromHalf(uint16_t bits) {
  const uint64_t sign = static_cast<uint64_t>(bits & 0x8000) << 48;
  const uint64_t exponent = (bits >> 10) & 0x1f;
  const uint64_t mantissa = bits & 0x3ff;
  if (exponent == 0x1f) {
    return std::bit_cast<double>(sign | Bits(kInfinity) | (mantissa << 42));
  }
  if (exponent != 0) {
    return std::bit_cast<double>(sign | ((exponent + 1023 - 15) << 52) | (mantissa << 42));
  }
  return std::bit_cast<double>(sign | Bits(static_cast<double>(mantissa) * 0x1p-24));
}

float FloatFromDouble(double value, Rounding rounding) {
  const auto nearest = static_cast<float>(value);  // IEEE: one rounding, to nearest even
  if (rounding == Rounding::kNearestEven || !(Absolute(nearest) > Absolute(value))) return nearest;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(nearest) - 1);
}

uint32_t FloatBitsFromDouble(double value, Rounding rounding) {
  if (!IsNan(value)) return std::bit_cast<uint32_t>(FloatFromDouble(value, rounding));
  const auto payload = static_cast<uint32_t>((Bits(value) & kMantissaMask) >> 29);
  const uint32_t sign = HasSign(value) ? 0x80000000u : 0;
  return sign | 0x7f800000u | (payload != 0 ? payload : 0x400000u);
}

double DoubleFromFloatBits(uint32_t bits) {
  if ((bits & 0x7fffffffu) <= 0x7f800000u) return std::bit_cast<float>(bits);
  const uint64_t sign = static_cast<uint64_t>(bits & 0x80000000u) << 32;
  const uint64_t payload = bits & 0x7fffffu;
  return std::bit_cast<double>(sign | Bits(kInfinity) | (payload << 29));
}

double RoundToWidthSlowly(double value, int width, Rounding rounding) {
  if (width == 16) return DoubleFromHalf(HalfFromDouble(value, rounding));
  if (width == 32) return DoubleFromFloatBits(FloatBitsFromDouble(value, rounding));
  return value;
}

bool IsRepresentable(double value, int width) {
  return IsNan(value) || RoundToWidth(value, width) == value;
}

double NextUp(double value, int width) {
  if (IsNan(value) || value == kInfinity) return value;
  const double nearest = RoundToWidth(value, width);
  return nearest > value ? nearest : NextRepresentableUp(nearest, width);
}

double NextDown(double value, int width) {
  return IsNan(value) ? value : -NextUp(-value, width);
}

double Ulp(double value, int width) {
  if (IsNan(value)) return kInfinity;
  const Format& format = FormatOf(width);
  const double magnitude = Absolute(value);
  int exponent = static_cast<int>(Bits(std::min(magnitude, format.max)) >> 52) - 1023;
  // For a power of two, the numbers below it are closer.
  if (magnitude <= format.max && (Bits(magnitude) & kMantissaMask) == 0) --exponent;
  return TwoTo(std::max(exponent, format.min_exponent) - format.precision + 1);
}

double NeighbourGap(double value, int width) {
  const Format& format = FormatOf(width);
  const int exponent = static_cast<int>(Bits(std::min(Absolute(value), format.max)) >> 52) - 1023;
  return TwoTo(std::max(exponent, format.min_exponent) - format.precision + 1);
}

double FlushDenormal(double value, int width) {
  return IsDenormal(value, width) ? WithSignOf(0.0, value) : value;
}

}  // namespace math
}  // namespace interp
}  // namespace refract
