// SPDX-License-Identifier: Apache-2.0
// The decoded form of a module: what Program holds and Machine runs. Inside this room only.
//
// ROWS. All that one invocation has (values, and variables of the classes Function, Private, Input
// and Output) lies in rows: a row is one 32-bit word for each invocation of a batch, side by side.
// A scalar of up to 32 bits is one row (integers zero-extended, booleans 0 or 1, floats as their
// bits), one of 64 bits two, the lower half first. A composite is its scalars one after the other.
// Shadows are kept beside each row; of a 64-bit scalar the first row's counts. No function is ever
// active twice (SPIR-V 2.16.1 forbids recursion), so every id has its rows for good.
//
// POINTERS to such variables are row numbers: one row. Those to memory that invocations share
// (blocks, push constants, workgroup variables) are two rows: which object, and the byte in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "input/bindings.h"
#include "input/stage_interface.h"
#include "interp/interpreter.h"
#include "ir/handles.h"

namespace refract::inline interp {

class Machine;
struct Op;

/// Runs one instruction for all active invocations.
using Handler = void (*)(Machine&, const Op&);

/// What a row holds.
enum class Scalar : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kFloat32,
  kFloat64,
  kPointer,  ///< an address, an object, a number of a resource
};
constexpr uint32_t RowsOf(Scalar scalar) {
  return scalar == Scalar::kInt64 || scalar == Scalar::kFloat64 ? 2 : 1;
}
/// Bits; 1 of booleans.
uint32_t WidthOf(Scalar scalar);
inline bool IsFloat(Scalar scalar) {
  return scalar >= Scalar::kFloat16 && scalar <= Scalar::kFloat64;
}

/// One decoded instruction. Which of the fields mean what is up to the handler.
struct Op {
  Handler run = nullptr;
  uint32_t result = 0;  ///< first row
  uint32_t a = 0, b = 0, c = 0, d = 0;
  uint32_t count = 1;  ///< of components
  uint32_t list = 0;   ///< in Code::words
  Scalar scalar = Scalar::kInt32;
  uint8_t flags = 0;
  Inst instruction = Inst::kNone;
};
/// Op::flags
constexpr uint8_t kNoContraction = 1;
constexpr uint8_t kRelaxed = 2;
constexpr uint8_t kSigned = 4;
constexpr uint8_t kSameForAll = 8;  ///< of subgroups: any of the invocations gives the same

/// `rows` rows copied.
struct Move {
  uint32_t to = 0, from = 0, rows = 0;
};

/// A branch target with the phis that the edge feeds.
struct Edge {
  uint32_t block = 0;  ///< position in FunctionCode::blocks
  uint32_t first_move = 0, moves = 0;
  /// The moves read rows that earlier ones write: the first half goes to rows in between.
};

struct BlockCode {
  enum class End : uint8_t {
    kBranch,
    kConditional,
    kSwitch,
    kReturn,
    kReturnValue,
    kKill,
    kUnreachable
  };
  uint32_t first_op = 0, ops = 0;
  uint32_t steps = 0;  ///< instructions of the block, phis and terminator too
  End end = End::kReturn;
  uint32_t condition = 0;  ///< row of the condition, selector or returned value
  Scalar selector = Scalar::kInt32;
  uint32_t first_edge = 0, edges = 0;  ///< kConditional: true, false; kSwitch: default, cases
  uint32_t first_literal = 0;          ///< kSwitch: in Code::literals, one for each case
  uint32_t header = kNoHeader;         ///< position of the header whose merge block this is
  bool dead = false;                   ///< Audit::dead_blocks has it
  Inst terminator = Inst::kNone;
  Id label = Id::kNone;
  uint32_t counter = 0;  ///< in Machine's counts of blocks
  static constexpr uint32_t kNoHeader = 0xffffffffu;
};

struct FunctionCode {
  Function function = Function::kNone;
  /// In an order in which every block stands after those that lead to it, but for back edges, and
  /// what is inside a construct before its merge block: who always runs the first block that any
  /// invocation waits at brings them together where control flow joins again.
  std::vector<BlockCode> blocks;
  uint32_t first_setup = 0, setups = 0;  ///< ops that set the function's variables up
  uint32_t result = 0, result_rows = 0;
  std::vector<uint32_t> parameters;  ///< first rows
  std::vector<uint32_t> parameter_rows;
};

/// Memory that invocations share.
struct ObjectCode {
  enum class Kind : uint8_t { kUniform, kStorage, kPushConstant, kWorkgroup };
  Kind kind = Kind::kUniform;
  uint32_t size = 0;  ///< bytes
  uint32_t set = 0, binding = 0;
  std::string bytes;  ///< at the beginning; of workgroup variables empty unless initialised
  std::string name;   ///< for messages
  bool fine = false;  ///< some of its scalars have less than 32 bits: races are told by byte
};

/// A scalar of a value in shared memory: `offset` bytes from the pointer.
struct MemoryScalar {
  uint32_t offset = 0;
  Scalar scalar = Scalar::kInt32;
};

/// Sets a row of a built-in input.
struct BuiltInCode {
  spv::BuiltIn built_in = spv::BuiltIn::Max;
  uint32_t row = 0;
  Scalar scalar = Scalar::kInt32;
  uint32_t components = 1;
  uint32_t place = 0;  ///< of BuiltIn::Max, an input that is made up: its location and component
  uint32_t given = kNotGiven;  ///< not that: one component, which batches bring (Code::givens)
  static constexpr uint32_t kNotGiven = 0xffffffffu;
};

/// A scalar input that batches bring along: of a vertex a component of its position, of a fragment
/// of a linked program what the vertices have, interpolated, or what its triangle says.
struct GivenCode {
  std::optional<spv::BuiltIn> built_in;  ///< FragCoord's z and w, FrontFacing, PrimitiveId
  uint32_t component = 0;                ///< of the built-in, or of the position
  InterfaceSlot slot;                    ///< of a fragment: what is read
  uint32_t slot_component = 0;           ///< which of its components
  uint32_t vertex_row = 0;               ///< of a fragment: where the vertex program has it
};

/// A colour output.
struct OutputCode {
  uint32_t location = 0, component = 0;
  uint32_t row = 0;
  Scalar scalar = Scalar::kFloat32;
  uint32_t components = 1;
  bool is_signed = false;
};

/// A row that has the same word for all invocations, for good.
struct ConstantRow {
  uint32_t row = 0, word = 0, shadow = 0;
};

/// Where audits look: two values of `rows` rows, compared after the op they are checked behind.
struct Program::Code {
  const Module* module = nullptr;
  Bindings bindings;
  bool is_compute = false;
  uint32_t group[3] = {1, 1, 1};  ///< the workgroup's size
  uint32_t rows = 0;
  std::vector<Op> ops;
  std::vector<uint32_t> words;  ///< lists of ops
  std::vector<uint64_t> literals;
  std::vector<Edge> edges;
  std::vector<Move> moves;
  std::vector<MemoryScalar> scalars;
  std::vector<FunctionCode> functions;
  std::vector<ObjectCode> objects;
  std::vector<BoundImage> images;
  std::vector<BuiltInCode> built_ins;
  std::vector<OutputCode> outputs;
  uint32_t first_setup = 0, setups = 0;  ///< ops that set module-scope variables up
  uint32_t entry = 0;                    ///< index in functions
  std::vector<ConstantRow> constants;
  std::vector<Id> labels;              ///< of the blocks that are counted
  bool preserves_signed_zero[3] = {};  ///< SignedZeroInfNanPreserve for 16, 32, 64 bits
  bool preserves_denormals[3] = {};
  bool has_collectives = false;  ///< derivatives, subgroup operations or barriers somewhere
  uint64_t randomise = 0;
  uint64_t made_up_inputs = 0;
  bool is_vertex = false;  ///< runs for vertices
  /// A vertex and a fragment program of one draw. That under test has the other one.
  bool linked = false;
  std::vector<GivenCode> givens;
  std::vector<InterfaceSlot> given_outputs;  ///< of a vertex program: all that it hands over
  std::vector<uint32_t> given_rows;          ///< and the first row of each
  uint32_t position_row = 0;                 ///< of a vertex program
  std::unique_ptr<const Module> other_module;
  std::unique_ptr<const Code> other;
  std::vector<Id> noted;    ///< values whose words are watched: do they ever change
  uint32_t noted_rows = 0;  ///< of all of them
};

}  // namespace refract::inline interp
