// SPDX-License-Identifier: Apache-2.0
// What the blocks of a program compute. Blocks pass 32-bit values to their successors. A block
// computes results from these carried values and assigns new ones; a visit has no other effect on
// later visits. Therefore every value at every visit is known when the path is known (Evaluate). A
// known value can choose a successor (direction.h) or be compared with the output of a run.
//
// The carried values are the position (the number of visits so far), the hash of all visited blocks
// and their results, loop counters (0 on entry, one more in each iteration), and values that are
// only carried. The module decides whether they are carried in memory or in phis.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "cfg/graph.h"

namespace refract::flesh {

constexpr uint32_t kPosition = 0, kHash = 1, kFirstOther = 2;  ///< numbers of carried values
constexpr uint32_t kMostCarried = 10;
constexpr uint32_t kMostOperations = 64;  ///< of a block, with those for hash and position
constexpr uint32_t kLocalWords = 8;       ///< of the local array; a power of two

/// An operand of an operation.
struct Operand {
  enum Kind : uint8_t {
    kCarried,   ///< the carried value with this number, at the beginning of the block
    kResult,    ///< the result of the operation of the block with this number
    kConstant,  ///< the value itself
    kHidden,    ///< the word of a uniform block with this number
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
  kNot,               ///< of the first operand; uses one operand
  kReverse,           ///< OpBitReverse
  kRotate,            ///< to the left, by the second operand, a constant from 1 to 31
  kShiftLeft,         ///< by the second operand, a constant from 1 to 31
  kShiftRight,        ///< by the second operand, a constant from 1 to 31
  kShiftRightSigned,  ///< by the second operand, a constant from 1 to 31
  kDivide,            ///< by the second operand with bit 0 set
  kRemainder,         ///< by the second operand with bit 0 set
  kLess,              ///< the minimum
  kRead,   ///< the word of the local array with the index `first operand` modulo kLocalWords
  kWrite,  ///< writes the second operand to that word; the result is the second operand
  // The operand of the following is equal in all invocations of a workgroup, at a converged visit
  // of all of them (plan.h). The result is 0 if they take part.
  kExchange,     ///< with the next invocation, through memory, between two barriers
  kSubgroupSum,  ///< the sum over the subgroup, minus the operand times the subgroup size
  /// The number of active invocations minus the subgroup size; ignores the operand.
  kSubgroupCount,
  kSubgroupFirst,  ///< the operand of the first invocation minus the own one
  kSubgroupSame,   ///< 1 if the operand differs within the subgroup
  kCount,
};
constexpr Operator kFirstGroupOperation = Operator::kExchange,
                   kFirstSubgroup = Operator::kSubgroupSum;

struct Operation {
  Operator what = Operator::kAdd;
  Operand a, b;
};

/// Assigns a new value to a carried value.
struct Assignment {
  uint32_t carried = 0;
  Operand to;
};

/// The work of one block.
struct BlockWork {
  uint32_t first_operation = 0, operations = 0;  ///< in Payload::operations
  uint32_t first_assignment = 0, assignments = 0;
};

/// The work of all blocks of a program.
struct Payload {
  std::vector<BlockWork> blocks;
  std::vector<Operation> operations;
  std::vector<Assignment> assignments;        ///< made at once, after the operations of the block
  std::vector<uint32_t> hidden;               ///< words of the uniform block
  uint32_t carried = kFirstOther;             ///< the number of carried values
  std::array<Operand, kMostCarried> initial;  ///< constants and hidden words
  uint32_t counters = 0;  ///< how many of the carried values, from kFirstOther on, are counters
  uint32_t converged_visits = 0;  ///< the carried value that counts converged visits; 0: none
  uint32_t fuel = 0;              ///< the carried value with the remaining fuel (fuel.h); 0: none
  bool subgroups = false;         ///< true if there are subgroup operations
  bool has_array = false;         ///< true if the local array is used
};

/// The values of one invocation.
struct State {
  std::array<uint32_t, kMostCarried> carried = {};
  std::array<uint32_t, kLocalWords> local = {};
};

struct PayloadOptions {
  uint32_t operations = 3;  ///< the most for a block, in addition to the hash; up to 32
  uint32_t values = 2;      ///< the most values that are only carried; up to 3
  uint32_t counters = 2;    ///< the most loops with counters; up to 3
  bool local_array = true;
  bool barriers = false;   ///< at converged visits of the workgroup
  bool subgroups = false;  ///< subgroup operations at converged visits; need full subgroups
};

/// Facts about the blocks of a graph.
struct BlockProperties {
  std::vector<bool> converged_visits;  ///< blocks in which a workgroup meets; empty: none
  std::vector<uint8_t> back_edge;      ///< see AddExits; empty: no fuel
};

/// Draws the work of every block of the graph, reachable or not.
Payload DrawPayload(const cfg::Graph& graph, const BlockProperties& facts,
                    const PayloadOptions& options, Random* random);

/// Returns the state before the entry block.
State InitialState(const Payload& payload);
/// Applies a visit of the block to `state`.
void Evaluate(const Payload& payload, uint32_t block, State* state);

}  // namespace refract::flesh
