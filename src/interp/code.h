// SPDX-License-Identifier: Apache-2.0
// The decoded form of a module, which Program holds and Machine runs. Private to this library.
//
// ROWS. All data of invocations (values, and variables of the classes Function, Private, Input and
// Output) is in rows. A row has one 32-bit word for each invocation of a batch. A scalar of up to
// 32 bits is one row (integers are zero-extended, booleans are 0 or 1, floats are their bits). A
// scalar of 64 bits is two rows, the lower half first. A composite is the rows of its scalars in
// order. Each row has a row of shadows; for a 64-bit scalar the shadows of the first row count. No
// function is ever active twice (SPIR-V 2.16.1 forbids recursion), so every id has fixed rows.
//
// POINTERS to such variables are row numbers, in one row. Pointers to memory that invocations share
// (blocks, push constants, workgroup variables) are two rows: the number of the object, and the
// byte in it. Object 0 of a program with pointers to PhysicalStorageBuffer is empty: a pointer to
// it is a null address, or the address of no buffer. The addressed buffers follow. In memory and as
// a number, such a pointer is AddressNumber (bindings.h). Pointers to images and samplers are one
// row: the index in Bindings::images. The descriptors of an array have consecutive numbers, and a
// pointer to the array is one to the first.
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

namespace refract {
inline namespace interp {

class Machine;
struct Op;

/// Runs one instruction for all active invocations.
using Handler = void (*)(Machine&, const Op&);

/// The type of a row.
enum class Scalar : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kFloat32,
  kFloat64,
  kPointer,  ///< an address, or the number of an object or a resource
  kAddress,  ///< a pointer to PhysicalStorageBuffer: the number of an object, and the byte
};
constexpr uint32_t RowsOf(Scalar scalar) {
  return scalar == Scalar::kInt64 || scalar == Scalar::kFloat64 || scalar == Scalar::kAddress ? 2
                                                                                              : 1;
}
/// The number of bits; 1 for booleans.
uint32_t WidthOf(Scalar scalar);
inline bool IsFloat(Scalar scalar) {
  return scalar >= Scalar::kFloat16 && scalar <= Scalar::kFloat64;
}

/// One decoded instruction. Each handler defines what the fields mean.
struct Op {
  Handler run = nullptr;
  uint32_t result = 0;  ///< the first row
  uint32_t a = 0, b = 0, c = 0, d = 0;
  uint32_t count = 1;  ///< number of components
  uint32_t list = 0;   ///< index in Code::words
  Scalar scalar = Scalar::kInt32;
  uint8_t flags = 0;
  Inst instruction = Inst::kNone;
};
/// Op::flags
constexpr uint8_t kNoContraction = 1;
constexpr uint8_t kRelaxed = 2;
constexpr uint8_t kSigned = 4;
/// Of subgroup operations: the result is the same whichever invocations take part.
constexpr uint8_t kSameForAll = 8;

/// A copy of `rows` rows.
struct Move {
  uint32_t to = 0, from = 0, rows = 0;
};

/// A branch target, and the moves for the phis on this edge.
struct Edge {
  uint32_t block = 0;  ///< index in FunctionCode::blocks
  uint32_t first_move = 0, moves = 0;
  /// If moves read rows that earlier moves write, the values are first copied to temporary rows.
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
  uint32_t steps = 0;  ///< number of instructions of the block, including phis and terminator
  End end = End::kReturn;
  uint32_t condition = 0;  ///< the row of the condition, selector or returned value
  Scalar selector = Scalar::kInt32;
  uint32_t first_edge = 0, edges = 0;  ///< kConditional: true, false; kSwitch: default, cases
  uint32_t first_literal = 0;          ///< kSwitch: index in Code::literals; one for each case
  uint32_t header = kNoHeader;         ///< index of the header whose merge block this is
  bool dead = false;                   ///< true if Audit::dead_blocks has it
  Inst terminator = Inst::kNone;
  Id label = Id::kNone;
  uint32_t counter = 0;  ///< index in Machine's counts of blocks
  static constexpr uint32_t kNoHeader = 0xffffffffu;
};

struct FunctionCode {
  Function function = Function::kNone;
  /// Every block comes after its predecessors, except for back edges, and the blocks of a construct
  /// come before its merge block. If the machine always runs the first block at which any
  /// invocations wait, invocations therefore meet where control flow joins again.
  std::vector<BlockCode> blocks;
  uint32_t first_setup = 0, setups = 0;  ///< ops that initialise the function's variables
  uint32_t result = 0, result_rows = 0;
  std::vector<uint32_t> parameters;  ///< the first row of each parameter
  std::vector<uint32_t> parameter_rows;
};

/// Memory that invocations share.
struct ObjectCode {
  enum class Kind : uint8_t { kUniform, kStorage, kPushConstant, kWorkgroup };
  Kind kind = Kind::kUniform;
  uint32_t size = 0;  ///< in bytes
  uint32_t set = 0, binding = 0;
  uint32_t element = 0;  ///< in an array of blocks
  std::string bytes;     ///< initial content; for workgroup variables empty unless initialised
  std::string name;      ///< for messages
  std::vector<BoundAddress> addresses;  ///< those in `bytes`
  /// Some scalars have less than 32 bits: races are detected for each byte.
  bool has_narrow_scalars = false;
};

/// A scalar of a value in shared memory, `offset` bytes after the pointer.
struct MemoryScalar {
  uint32_t offset = 0;
  Scalar scalar = Scalar::kInt32;
};

/// Says how to set the rows of a built-in input.
struct BuiltInCode {
  spv::BuiltIn built_in = spv::BuiltIn::Max;
  uint32_t row = 0;
  Scalar scalar = Scalar::kInt32;
  uint32_t components = 1;
  uint32_t place = 0;  ///< for BuiltIn::Max, a made-up input: its location and component
  /// Index in Code::batch_inputs, if the batch provides this one component.
  uint32_t batch_input = kNoBatchInput;
  static constexpr uint32_t kNoBatchInput = 0xffffffffu;
};

/// A row that batches provide. For a vertex: a component of an attribute. For a fragment of a
/// linked program: an interpolated output of the vertices, or a property of the triangle.
struct BatchInputCode {
  std::optional<spv::BuiltIn> built_in;  ///< FragCoord's z and w, FrontFacing, PrimitiveId
  uint32_t component = 0;                ///< component of the built-in or of the attribute
  InterfaceSlot slot;                    ///< the input that is read
  uint32_t slot_component = 0;           ///< the component of that input
  bool upper = false;                    ///< the upper half of 64 bits
  uint32_t vertex_row = 0;               ///< for a fragment: the row in the vertex program
};

/// A colour output.
struct OutputCode {
  uint32_t location = 0, component = 0;
  uint32_t row = 0;
  Scalar scalar = Scalar::kFloat32;
  uint32_t components = 1;
  bool is_signed = false;
};

/// A row whose word is the same for all invocations and never changes.
struct ConstantRow {
  uint32_t row = 0, word = 0, shadow = 0;
};

/// The decoded program.
struct Program::Code {
  const Module* module = nullptr;
  Bindings bindings;
  bool is_compute = false;
  uint32_t group[3] = {1, 1, 1};  ///< the size of the workgroup
  uint32_t rows = 0;
  std::vector<Op> ops;
  std::vector<uint32_t> words;  ///< lists that ops refer to
  std::vector<uint64_t> literals;
  std::vector<Edge> edges;
  std::vector<Move> moves;
  std::vector<MemoryScalar> scalars;
  std::vector<FunctionCode> functions;
  std::vector<ObjectCode> objects;
  std::vector<BoundImage> images;
  bool has_addresses = false;  ///< object 0 is that of null addresses
  bool has_descriptor_arrays = false;
  uint32_t compared_descriptors = 0;  ///< the number of Machine::compared_descriptors
  std::vector<BuiltInCode> built_ins;
  std::vector<OutputCode> outputs;
  std::optional<uint32_t>
      sample_mask_row;  ///< the first word of the output SampleMask, if it is used
  /// The depth of a fragment is the value of the output FragDepth, in the row `depth_row`.
  bool replaces_depth = false;
  std::optional<uint32_t> depth_row = std::nullopt;
  /// Whether the written depth may be below, or above, the depth between the vertices.
  bool depth_may_fall = true, depth_may_rise = true;
  bool tests_early = false;              ///< depths are tested before the shader runs
  uint32_t first_setup = 0, setups = 0;  ///< ops that initialise module-scope variables
  uint32_t entry = 0;                    ///< index in `functions`
  std::vector<ConstantRow> constants;
  std::vector<Id> labels;              ///< the labels of the blocks that are counted
  bool preserves_signed_zero[3] = {};  ///< SignedZeroInfNanPreserve for 16, 32, 64 bits
  bool preserves_denormals[3] = {};
  bool has_collectives = false;  ///< the program has derivatives, subgroup operations or barriers
  bool has_subgroups = false;    ///< the program has operations on subgroups or quads
  uint64_t randomise = 0;
  uint64_t made_up_inputs = 0;
  bool is_vertex = false;  ///< true if the program runs vertices
  /// The program is one of a vertex and a fragment program of one draw. The one under test owns the
  /// other (`other`).
  bool linked = false;
  std::vector<BatchInputCode> batch_inputs;
  std::vector<InterfaceSlot> vertex_outputs;  ///< for a vertex program: all its outputs
  std::vector<uint32_t> vertex_output_rows;   ///< the first row of each of these
  uint32_t position_row = 0;                  ///< for a vertex program
  std::unique_ptr<const Module> other_module;
  std::unique_ptr<const Code> other;
  /// Values that are checked for ever changing (Audit::uniform, find_uniform).
  std::vector<Id> uniform_values;
  uint32_t uniform_value_rows = 0;  ///< the number of rows of all of them
};

}  // namespace interp
}  // namespace refract
