// SPDX-License-Identifier: Apache-2.0
// Arithmetic and comparisons of 32-bit floats with their notes (float_note.h), a block of
// invocations at a time and without branches, so that the compiler makes vector instructions of it.
// What these loops leave to the general code (float_columns.h), they mark: denormals, infinities,
// NaNs, undefined operands. For all else they give the same bits as it does.
//
// The loops are compiled twice, for any x86-64 and for AVX2; which of the two runs changes no bit:
// every operation is one of IEEE 754, and none is contracted. Inside this room only.
#pragma once

#include <cstdint>

namespace refract::inline interp {

constexpr uint32_t kLaneBlock = 16;

/// One block: operands' words and shadow words, and what becomes of them.
struct FloatBlock {
  const uint32_t* a = nullptr;
  const uint32_t* a_notes = nullptr;
  const uint32_t* b = nullptr;
  const uint32_t* b_notes = nullptr;
  alignas(64) uint32_t result[kLaneBlock];
  alignas(64) uint32_t notes[kLaneBlock];
  alignas(64) uint32_t slow[kLaneBlock];  ///< not 0: for the general code
};

/// What the format, the execution modes and the decorations say.
struct FloatRules {
  int32_t precision = 24;
  int32_t lowest = -126;  ///< exponent of the least grain
  double highest = 0;     ///< the largest number
  bool relaxed = false;   ///< of quotients
};

/// What PutBlock found of the active invocations: their shadow words and marks, joined.
struct BlockSum {
  uint32_t notes = 0;
  uint32_t slow = 0;
};
/// `to` becomes `from` where the mask has bits: a block of words.
using BlendLoop = void (*)(uint32_t* to, const uint32_t* from, const uint32_t* mask);

using FloatLoop = void (*)(FloatBlock& block, const FloatRules& rules);

struct FloatLoops {
  BlendLoop blend;
  BlockSum (*sum)(const FloatBlock& block, const uint32_t* mask);
  FloatLoop add[2], subtract[2], multiply[2];  ///< the second: with NoContraction
  FloatLoop divide;
  FloatLoop equal, not_equal, less, less_equal, greater, greater_equal;
};

/// Those for the machine that this runs on.
const FloatLoops& FloatLoopsOfThisMachine();
/// Those for every machine.
const FloatLoops& PlainFloatLoops();
/// Those for AVX2; null where the compiler has none.
extern const FloatLoops* const kFloatLoopsAvx2;

}  // namespace refract::inline interp
