// SPDX-License-Identifier: Apache-2.0
// How a block with several targets chooses its successor. A direction comes from a table in a
// buffer with an entry for every visit of every path, from push constants with an entry for every
// path, from a specialisation constant with one value for all paths, or from a computed value. The
// value of a computed one is known for every visit (prediction.h). It is compared with a bound that
// distinguishes the targets.
//
// Blocks that no path visits choose in the same way, so that a compiler cannot see that they are
// dead.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "cfg/graph.h"
#include "flesh/payload.h"
#include "flesh/prediction.h"

namespace refract::flesh {

/// Where a direction comes from.
enum class DirectionSource : uint8_t {
  kBuffer,          ///< a word of a storage buffer for every visit
  kUniform,         ///< a byte of a uniform block for every visit
  kPushConstant,    ///< some bits of a push constant for every path
  kSpecialisation,  ///< a specialisation constant
  kComputed,        ///< a carried value that is compared with a bound
  kCount,
};
using DirectionSources = uint32_t;  ///< one bit for each DirectionSource
constexpr DirectionSources kAllSources = (1u << static_cast<uint32_t>(DirectionSource::kCount)) - 1;
constexpr DirectionSources Bit(DirectionSource source) {
  return 1u << static_cast<uint32_t>(source);
}

/// The comparison of a computed value with a bound.
enum class BoundTest : uint8_t { kLess, kNotLess, kEqual, kNotEqual };

/// How one block chooses its successor.
struct Direction {
  DirectionSource source = DirectionSource::kBuffer;
  uint32_t shift = 0, bits = 0;  ///< for push constants
  /// For specialisation constants: an index into `specialised`, also the SpecId.
  uint32_t constant = 0;
  /// For computed values. A conditional branch takes its first target if (carried * multiplier)
  /// passes the test with `bound`. A switch uses its literals.
  uint32_t carried = 0, multiplier = 1;
  BoundTest test = BoundTest::kLess;
  Operand bound;  ///< a constant or a hidden word
  /// Of the targets of a switch, except the default; empty: 1, 2 and so on.
  std::vector<uint32_t> literals;
};

/// A specialisation constant that holds a direction.
struct SpecialisedDirection {
  uint32_t id = 0;
  bool is_bool = false;    ///< for a conditional branch: true takes the first target
  uint32_t value = 0;      ///< the value in the inputs
  uint32_t in_module = 0;  ///< the default value in the module
};

/// The directions of all blocks, with their tables.
struct Directions {
  std::vector<Direction> of_block;  ///< meaningless for blocks with at most one target
  uint32_t stride = 1;              ///< length of a row of the tables; a power of two
  uint32_t paths = 1;               ///< number of rows of the tables; a power of two
  /// Number of the target at path * stride + position; empty: unused.
  std::vector<uint32_t> buffer;
  std::vector<uint8_t> uniform;  ///< the same as bytes
  std::vector<uint32_t> push;    ///< by path; empty: unused
  std::vector<SpecialisedDirection> specialised;
};

/// Draws the source of the direction of each block. May add hidden words to the payload.
Directions ChooseDirections(const cfg::Graph& graph, const Prediction& prediction, uint32_t paths,
                            DirectionSources sources, Payload* payload, Random* random);

}  // namespace refract::flesh
