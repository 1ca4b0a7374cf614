// SPDX-License-Identifier: Apache-2.0
// What the shadow of a float records besides exact, approximate and undefined.
//
// REARRANGEMENT. Without NoContraction an implementation may rearrange sums and products (Vulkan,
// "Precision and Operation of SPIR-V Instructions"). An operation that does not round in the
// interpreter's order may round in another order. For an exact result of arithmetic, the shadow
// therefore keeps its magnitude (the same expression with all signs positive) and its grain (the
// exponent of a power of two of which all terms are multiples). Every partial result of every
// rearrangement is a multiple of the grain and at most the magnitude. If magnitude / grain fits
// into the significand, no partial result rounds.
//
// ERROR. For an approximate value, the shadow keeps a bound on its error. The bound is used where
// the value is rounded (to an integer, to a level of an 8-bit colour, by a comparison): if all
// possible values give the same result, the result is exact.
//
// Layout: bits 0 and 1 are the Shadow. Bit 2: the value is a zero of unknown sign. Bits 3 to 7: the
// upper bits of the error's significand, for approximate values. Each operation rounds the error
// up, so with the exponent alone, each would double it. Bits 8 to 23: the magnitude (the upper bits
// of a float, rounded up; 0: that of the value). Bits 24 to 31: the exponent of the grain or error
// + 160 (0: the grain of the value, or an unknown error; 255: unknown). Private to this library.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "interp/machine.h"
#include "interp/math/float_formats.h"

namespace refract {
inline namespace interp {

constexpr uint32_t kUnknownZeroSignBit = 4;

struct FloatShadow {
  uint32_t shadow = 0;   ///< the two bits
  double magnitude = 0;  ///< at least |value|
  int grain = 0;         ///< for exact values
  double error = 0;      ///< for approximate values; infinity: unknown

  bool exact() const { return shadow == 0; }
};

/// The exponent of the lowest set bit of a finite value; a large number for zero.
inline int GrainOf(double value) {
  constexpr int kNoGrain = 95;
  const uint64_t bits = std::bit_cast<uint64_t>(value) & ~math::kSignBit;
  if (bits == 0) return kNoGrain;
  const int exponent = static_cast<int>(bits >> 52);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == 0) return -1074 + std::countr_zero(fraction);
  const int zeros = fraction == 0 ? 52 : std::countr_zero(fraction);
  return exponent - 1075 + zeros;
}

/// 2^exponent, for the exponents of floats and beyond.
inline double PowerOfTwo(int exponent) {
  if (exponent > 1023) return math::kInfinity;
  if (exponent < -1022) return 0x1p-1022;
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

constexpr int kExponentBias = 160;

inline FloatShadow ReadFloatShadow(uint32_t word, double value) {
  FloatShadow note;
  note.shadow = word & kShadowMask;
  const uint32_t magnitude = word >> 8 & 0xffff, exponent = word >> 24;
  note.magnitude = magnitude == 0 ? math::Absolute(value)
                                  : static_cast<double>(std::bit_cast<float>(magnitude << 15));
  if (note.shadow == 0) {
    note.grain = exponent == 0 ? GrainOf(value) : static_cast<int>(exponent) - kExponentBias;
  } else {
    note.error = exponent == 0 || exponent == 255
                     ? math::kInfinity
                     : PowerOfTwo(static_cast<int>(exponent) - kExponentBias - 1) *
                           (1 + ((word >> 3 & 31) + 1) / 32.0);
  }
  return note;
}

/// The bits of an infinite magnitude.
constexpr uint32_t kNoWindow = 0xff00u << 8;

inline uint32_t MagnitudeBits(double magnitude, double value) {
  if (magnitude == math::Absolute(value)) return 0;
  // The upper 16 bits of a float, rounded up. Larger values become infinity, which fits no window.
  if (magnitude >= 0x1p127) return kNoWindow;
  const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(magnitude));
  return ((bits >> 15) + 2) << 8;
}

/// The shadow word of an exact result.
inline uint32_t ExactFloatShadow(double value, double magnitude, int grain) {
  uint32_t word = value == 0 ? kUnknownZeroSignBit : 0;
  word |= MagnitudeBits(magnitude, value);
  const int own = GrainOf(value);
  if (grain != own) {
    // A smaller grain is always correct. One that is too small for the field fits no window.
    const int code = std::clamp(grain + kExponentBias, 1, 255);
    if (grain + kExponentBias < 1) word |= kNoWindow;
    word |= static_cast<uint32_t>(code) << 24;
  }
  return word;
}

/// The shadow word of an approximate result.
inline uint32_t ApproximateFloatShadow(double value, double magnitude, double error) {
  uint32_t code = 255, significand = 0;
  if (error < 0x1p90) {
    const uint64_t bits = std::bit_cast<uint64_t>(std::max(error, 0x1p-150));
    const int exponent = static_cast<int>(bits >> 52) - 1022;  // error < 2^exponent
    code = static_cast<uint32_t>(exponent + kExponentBias);
    significand = static_cast<uint32_t>(bits >> 47) & 31;
  }
  return kApproximateBit | significand << 3 | MagnitudeBits(magnitude, value) | code << 24;
}

}  // namespace interp
}  // namespace refract
