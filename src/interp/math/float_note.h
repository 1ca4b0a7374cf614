// SPDX-License-Identifier: Apache-2.0
// What the shadow of a float says beside exact, approximate and undefined.
//
// REARRANGEMENT. Without NoContraction an implementation may rearrange sums and products as it
// likes (Vulkan, "Precision and Operation of SPIR-V Instructions"), so that no rounding in our
// order does not mean none in another. Of an exact result of arithmetic the shadow keeps its
// magnitude, the same expression with all signs made positive, and its grain, the exponent of two
// that all of its terms are multiples of. Every partial result of every rearrangement is a multiple
// of the grain and at most the magnitude: if magnitude / grain fits the significand, none rounds.
//
// ERROR. Of an approximate value the shadow keeps how far off it may be. That is not needed to tell
// approximate from exact, but where an approximate value is rounded (to an integer, to a level of
// an 8-bit colour, by a comparison) and all it may be gives the same, the result is exact.
//
// Layout: bits 0 and 1 Shadow, bit 2 "a zero whose sign is open", bits 8 to 23 the magnitude (the
// upper bits of a float, rounded up; 0: that of the value), bits 24 to 31 the exponent of grain or
// error + 160 (0: that of the value, of errors unknown; 255: unknown). Inside this room only.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "interp/math/float_formats.h"
#include "interp/machine.h"

namespace refract::inline interp {

constexpr uint32_t kOpenZeroBit = 4;

struct FloatNote {
  uint32_t shadow = 0;   ///< the two bits
  double magnitude = 0;  ///< at least |value|
  int grain = 0;         ///< of exact values
  double error = 0;      ///< of approximate ones; infinity: unknown

  bool exact() const { return shadow == 0; }
};

/// The exponent of the lowest set bit of a finite value; large for zero.
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

/// 2^exponent for exponents that floats have and some more.
inline double PowerOfTwo(int exponent) {
  if (exponent > 1023) return math::kInfinity;
  if (exponent < -1022) return 0x1p-1022;
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

constexpr int kExponentBias = 160;

inline FloatNote ReadNote(uint32_t word, double value) {
  FloatNote note;
  note.shadow = word & kShadowMask;
  const uint32_t magnitude = word >> 8 & 0xffff, exponent = word >> 24;
  note.magnitude = magnitude == 0 ? math::Absolute(value)
                                  : static_cast<double>(std::bit_cast<float>(magnitude << 15));
  if (note.shadow == 0) {
    note.grain = exponent == 0 ? GrainOf(value) : static_cast<int>(exponent) - kExponentBias;
  } else {
    note.error = exponent == 0 || exponent == 255
                     ? math::kInfinity
                     : PowerOfTwo(static_cast<int>(exponent) - kExponentBias);
  }
  return note;
}

/// As bits of a magnitude: infinity.
constexpr uint32_t kNoWindow = 0xff00u << 8;

inline uint32_t MagnitudeBits(double magnitude, double value) {
  if (magnitude == math::Absolute(value)) return 0;
  // Cut to 16 bits, upwards; what is beyond floats becomes infinity, which no window fits.
  if (magnitude >= 0x1p127) return kNoWindow;
  const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(magnitude));
  return ((bits >> 15) + 2) << 8;
}

/// The shadow word of an exact result.
inline uint32_t ExactNote(double value, double magnitude, int grain) {
  uint32_t word = value == 0 ? kOpenZeroBit : 0;
  word |= MagnitudeBits(magnitude, value);
  const int own = GrainOf(value);
  if (grain != own) {
    // A lesser grain is always true; one too small to be told fits no window.
    const int code = std::clamp(grain + kExponentBias, 1, 255);
    if (grain + kExponentBias < 1) word |= kNoWindow;
    word |= static_cast<uint32_t>(code) << 24;
  }
  return word;
}

/// The shadow word of an approximate one.
inline uint32_t ApproximateNote(double value, double magnitude, double error) {
  uint32_t code = 255;
  if (error < 0x1p90) {
    const uint64_t bits = std::bit_cast<uint64_t>(std::max(error, 0x1p-150));
    const int exponent = static_cast<int>(bits >> 52) - 1022;  // error < 2^exponent
    code = static_cast<uint32_t>(exponent + kExponentBias);
  }
  return kApproximateBit | MagnitudeBits(magnitude, value) | code << 24;
}

}  // namespace refract::inline interp
