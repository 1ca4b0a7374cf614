// SPDX-License-Identifier: Apache-2.0
// Where a block with several targets has from which of them to take: tables in buffers, which say
// it for every visit of every walk; push constants, which say it for a walk; specialisation
// constants, which say it once for all; or what the invocation has computed, of which it is known
// what it is at every visit (prediction.h), compared with a number that tells the ways apart.
//
// Blocks that no walk visits are asked the same questions, so that nobody sees that they are dead.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "cfg/graph.h"
#include "flesh/payload.h"
#include "flesh/prediction.h"

namespace refract::flesh {

enum class Source : uint8_t {
  kBuffer,          ///< a word of a storage buffer for every visit
  kUniform,         ///< a byte of a uniform block for every visit
  kPushConstant,    ///< some bits of a push constant for every walk
  kSpecialisation,  ///< a specialisation constant
  kComputed,        ///< a carried value, compared
  kCount,
};
using Sources = uint32_t;  ///< a bit for each Source
constexpr Sources kAllSources = (1u << static_cast<uint32_t>(Source::kCount)) - 1;
constexpr Sources Bit(Source source) {
  return 1u << static_cast<uint32_t>(source);
}

enum class Test : uint8_t { kLess, kNotLess, kEqual, kNotEqual };

struct Direction {
  Source source = Source::kBuffer;
  uint32_t shift = 0, bits = 0;  ///< push constants
  uint32_t constant = 0;         ///< specialisation: SpecId
  /// Computed. Of two targets the first is taken if (carried * multiplier) keeps the test with
  /// `bound`; of a switch, the literals decide.
  uint32_t carried = 0, multiplier = 1;
  Test test = Test::kLess;
  Operand bound;                   ///< a constant or a hidden word
  std::vector<uint32_t> literals;  ///< of a switch: of its targets but the default; empty: 1, 2 ...
};

struct SpecialisedDirection {
  uint32_t id = 0;
  bool is_bool = false;    ///< of a conditional branch: whether to take the first target
  uint32_t value = 0;      ///< what the inputs make it
  uint32_t in_module = 0;  ///< what the module says
};

struct Directions {
  std::vector<Direction> of_block;  ///< of those with one target or none: of no meaning
  uint32_t stride = 1;              ///< of a walk in the tables; a power of two
  uint32_t walks = 1;               ///< rows of the tables; a power of two
  std::vector<uint32_t> buffer;     ///< which target, by walk * stride + position; empty: unused
  std::vector<uint8_t> uniform;     ///< likewise
  std::vector<uint32_t> push;       ///< by walk; empty: unused
  std::vector<SpecialisedDirection> specialised;
};

/// May add hidden words to the payload.
Directions ChooseDirections(const cfg::Graph& graph, const Prediction& prediction, uint32_t walks,
                            Sources sources, Payload* payload, Random* random);

}  // namespace refract::flesh
