// SPDX-License-Identifier: Apache-2.0
// What the blocks of a program compute. Values of 32 bits are carried from block to block; a block
// computes from them, assigns them anew, and that is all that one visit does to the next. So what
// every value is at every visit of a walk is known as soon as the walk is (Evaluate), and whatever
// is known can be branched on (direction.h) or compared with what a run leaves behind.
//
// Carried are the position (visits so far), the hash of all blocks visited and all that was
// computed in them, counters of loops (0 on the way in, one more each time round), and values that
// are there to be carried. How they are carried, in memory or by phis, is the module's business.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "cfg/graph.h"

namespace refract::flesh {

constexpr uint32_t kPosition = 0, kHash = 1, kFirstOther = 2;  ///< of carried values
constexpr uint32_t kMostCarried = 10;
constexpr uint32_t kMostOperations = 64;  ///< of a block, with those of hash and position
constexpr uint32_t kLocalWords = 8;       ///< of the local array; a power of two

struct Operand {
  enum Kind : uint8_t {
    kCarried,   ///< that carried value, as it is at the beginning of the block
    kResult,    ///< of that operation of the block
    kConstant,  ///< the value itself
    kHidden,    ///< that word of a uniform block
  };
  Kind kind = kConstant;
  uint32_t value = 0;
};

enum class Operator : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kAnd,
  kOr,
  kXor,
  kNot,               ///< of the first operand, as all up to kShiftRightSigned
  kReverse,           ///< OpBitReverse
  kRotate,            ///< to the left, by the second operand, a constant of 1 to 31
  kShiftLeft,         ///< likewise
  kShiftRight,        ///< likewise
  kShiftRightSigned,  ///< likewise
  kDivide,            ///< by the second operand with bit 0 set
  kRemainder,         ///< likewise
  kLess,              ///< the lesser one
  kRead,              ///< word (first operand modulo kLocalWords) of the local array
  kWrite,             ///< the second operand to that word; it is the result
  // Of a value that is the same in all of a workgroup, where all of it meet (plan.h); 0 if they do.
  kExchange,       ///< with the next invocation, through memory, between two barriers
  kSubgroupSum,    ///< over the subgroup, less as many times the value
  kSubgroupCount,  ///< of those that are there, less the subgroup's size; the value is of no matter
  kSubgroupFirst,  ///< the first one's, less the own
  kSubgroupSame,   ///< 1 if it is not the same in all of the subgroup
  kCount,
};
constexpr Operator kFirstMeeting = Operator::kExchange, kFirstSubgroup = Operator::kSubgroupSum;

struct Operation {
  Operator what = Operator::kAdd;
  Operand a, b;
};

struct Assignment {
  uint32_t carried = 0;
  Operand to;
};

struct BlockWork {
  uint32_t first_operation = 0, operations = 0;  ///< in Payload::operations
  uint32_t first_assignment = 0, assignments = 0;
};

struct Payload {
  std::vector<BlockWork> blocks;
  std::vector<Operation> operations;
  std::vector<Assignment> assignments;  ///< of a block: all at once, when its operations are done
  std::vector<uint32_t> hidden;         ///< words of the uniform block
  uint32_t carried = kFirstOther;       ///< how many there are
  std::array<Operand, kMostCarried> initial;  ///< constants and hidden words
  uint32_t counters = 0;                      ///< of the carried values from kFirstOther on
  uint32_t meetings = 0;   ///< carried: how many there were; 0: that is not counted
  uint32_t fuel = 0;       ///< carried: what is left of it (fuel.h); 0: there is none
  bool subgroups = false;  ///< whether there are operations of subgroups
  bool has_array = false;  ///< whether the local array is used
};

struct State {
  std::array<uint32_t, kMostCarried> carried = {};
  std::array<uint32_t, kLocalWords> local = {};
};

struct PayloadOptions {
  uint32_t operations = 3;  ///< of a block, at most, beside the hash; up to 32
  uint32_t values = 2;      ///< carried ones that are there to be carried, at most; up to 3
  uint32_t counters = 2;    ///< loops that are counted, at most; up to 3
  bool local_array = true;
  bool barriers = false;   ///< at meetings of the workgroup
  bool subgroups = false;  ///< operations of subgroups there; they must be full
};

/// What is known of the blocks of a graph.
struct BlockFacts {
  std::vector<bool> meetings;      ///< blocks in which a workgroup meets; empty: none
  std::vector<uint8_t> back_edge;  ///< as AddExits has it; empty: no fuel
};

/// Draws what every block of the graph does, reached or not.
Payload DrawPayload(const cfg::Graph& graph, const BlockFacts& facts, const PayloadOptions& options,
                    Random* random);

/// Before the entry block.
State InitialState(const Payload& payload);
/// What a visit of the block makes of `state`.
void Evaluate(const Payload& payload, uint32_t block, State* state);

}  // namespace refract::flesh
