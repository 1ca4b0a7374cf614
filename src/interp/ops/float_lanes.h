// SPDX-License-Identifier: Apache-2.0
// Arithmetic and comparisons of 32-bit floats with their notes (float_shadow.h), on a block of
// invocations at a time and without branches, so that the compiler can use vector instructions. The
// loops mark the invocations that the general code (float_columns.h) must compute: those with
// denormals, infinities, NaNs or undefined operands. For all others their results are the same as
// those of the general code, bit for bit.
//
// The loops are compiled twice, for any x86-64 and for AVX2. Both give the same bits, because every
// operation is an IEEE 754 operation and none is contracted. Private to this library.
#pragma once

#include <cstdint>

namespace refract {
inline namespace interp {

constexpr uint32_t kLaneBlock = 16;

/// One block: words and shadow words of the operands and of the result.
struct FloatBlock {
  const uint32_t* a = nullptr;
  const uint32_t* a_notes = nullptr;
  const uint32_t* b = nullptr;
  const uint32_t* b_notes = nullptr;
  alignas(64) uint32_t result[kLaneBlock];
  alignas(64) uint32_t notes[kLaneBlock];
  alignas(64) uint32_t slow[kLaneBlock];  ///< not 0: computed by the general code
};

/// The rules from the format, the execution modes and the decorations.
struct FloatRules {
  int32_t precision = 24;
  int32_t lowest = -126;  ///< exponent of the smallest grain
  double highest = 0;     ///< the largest number
  bool relaxed = false;   ///< for quotients
};

/// The shadow words and the marks of the active invocations, joined.
struct BlockSum {
  uint32_t notes = 0;
  uint32_t slow = 0;
};
/// Copies a block of words from `from` to `to` where the mask has bits.
using BlendLoop = void (*)(uint32_t* to, const uint32_t* from, const uint32_t* mask);

using FloatLoop = void (*)(FloatBlock& block, const FloatRules& rules);

struct FloatLoops {
  BlendLoop blend;
  BlockSum (*sum)(const FloatBlock& block, const uint32_t* mask);
  FloatLoop add[2], subtract[2], multiply[2];  ///< the second: with NoContraction
  FloatLoop divide;
  FloatLoop equal, not_equal, less, less_equal, greater, greater_equal;
};

/// The fastest loops for this machine.
const FloatLoops& FloatLoopsOfThisMachine();
/// The loops that run on every x86-64.
const FloatLoops& PlainFloatLoops();
/// The loops for AVX2; null if the compiler does not support it.
extern const FloatLoops* const kFloatLoopsAvx2;

}  // namespace interp
}  // namespace refract
