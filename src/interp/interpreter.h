// SPDX-License-Identifier: Apache-2.0
// The reference interpreter. It runs fragment, vertex and compute entry points, knows for every
// scalar how far the specifications define it, and stops at undefined behaviour.
//
// SHADOWS. Every scalar component is exact, approximate or undefined. Approximate: it depends on a
// result for which Vulkan's table "Precision of core SPIR-V Instructions" or a rearrangement allows
// more than one value. Undefined values propagate. They trap if they decide a branch, are part of
// an address, index or coordinate, are an operand that makes the behaviour undefined, or are stored
// to memory that other invocations can read.
//
// EXECUTION. A module is decoded once (Program). Invocations run in batches; all active invocations
// of a batch execute the same instruction at a time. Invocations that took another branch wait
// until control flow joins again. A batch is a workgroup or some whole quads. Everything is
// reproducible: the interpreter uses no libm, no clock (except for a deadline) and no addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "image/level_bounds.h"
#include "input/bindings.h"
#include "input/outputs.h"
#include "ir/call_graph.h"
#include "ir/divergence/divergence.h"
#include "ir/module.h"

namespace refract {
inline namespace interp {

enum class Shadow : uint8_t { kExact = 0, kApproximate = 1, kUndefined = 2 };

/// A value or a part of one, for audits: `value[path[0]][path[1]]...`.
struct ValuePath {
  Id value = Id::kNone;
  std::vector<uint32_t> path;
};

/// Claims about a module that its code does not state. The interpreter tries to refute them.
struct Audit {
  std::vector<Id> dead_blocks;  ///< labels: entering such a block is a trap
  /// Pairs that are equal, bit for bit, wherever both are available.
  std::vector<std::pair<ValuePath, ValuePath>> equal;
  /// With `randomise`: irrelevant values get random values when they are computed. Memory at
  /// irrelevant pointees is overwritten when the pointer is computed and after each of its uses.
  std::vector<Id> irrelevant_values;
  std::vector<Id> irrelevant_pointees;
  /// Values that are always the same, in all invocations.
  std::vector<Id> uniform;
  /// Values and blocks that are uniform at a scope, as ir/divergence/divergence.h defines it: for a
  /// value, all invocations of the scope that compute it and for which it is defined get the same;
  /// a block (by its label) is entered by all invocations of the scope or by none. The claims hold
  /// with early reconvergence. For a draw, only the invocations of one batch are compared.
  std::vector<std::pair<Id, DivergenceClass>> agreed;
  uint64_t randomise = 0;  ///< a seed; 0: irrelevant values stay as computed
};

struct DecodeOptions {
  const Audit* audit = nullptr;
  /// Run this function in place of the entry point's, in as many invocations, with random arguments
  /// drawn from `function_seed`. This tests live-safe functions.
  Function only_function = Function::kNone;
  uint64_t function_seed = 0;
  /// A seed. If not 0, inputs that need a vertex shader are made up, as a function of seed,
  /// location, component and invocation. If 0, they are refused.
  uint64_t made_up_inputs = 0;
  bool find_uniform = false;  ///< fill RunReport::uniform; this costs about half of the speed
};

/// A decoded module with its inputs. It is immutable; several threads may run it at the same time.
class Program {
 public:
  /// Errors call the module `file`. The module must be valid and outlive the program. `bindings`
  /// must have every resource that the entry point uses. The error is kUnavailable for modules that
  /// cannot be interpreted, and names the instruction. If `bindings` has a companion, both shaders
  /// of the pipeline are decoded. Reports then cover both, except for blocks and uniform values.
  static Result<Program> Decode(const Module& module, const EntryPoint& entry,
                                const Bindings& bindings, const std::string& file,
                                const DecodeOptions& options = {});
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  const Module& module() const;
  /// True if the result may depend on the Schedule: the program has derivatives, subgroup
  /// operations, barriers or memory that several invocations write.
  bool DependsOnSchedule() const;

  struct Code;
  const Code& code() const { return *code_; }

 private:
  explicit Program(std::unique_ptr<const Code> code);
  std::unique_ptr<const Code> code_;
};

/// Choices that the specifications leave to the implementation.
struct Schedule {
  enum class Order : uint8_t { kForward, kBackward, kShuffled };
  Order order = Order::kForward;  ///< of invocations within an instruction, and of batches
  uint64_t seed = 0;              ///< for kShuffled
  uint32_t subgroup_size = 32;    ///< a power of two, 4 to 128
  bool late_reconvergence = false;
  bool fine_derivatives = true;  ///< for OpDPdx and similar ones, which may be fine or coarse

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

struct Limits {
  uint64_t steps_per_invocation = uint64_t{1} << 22;
  uint64_t steps = uint64_t{1} << 36;   ///< of all invocations together
  uint64_t memory = uint64_t{1} << 30;  ///< in bytes, for one batch with all its variables
};

struct RunOptions {
  Schedule schedule;
  Limits limits;
  /// A run that has not ended by then ends about 10 ms later, with a trap kLimit that is
  /// `out_of_time`.
  Deadline deadline;
  /// The part to run. Fragment: numbers of quads (row by row, in the frame rounded up to whole
  /// quads). Compute: numbers of workgroups (x fastest). Ascending; empty: everything.
  std::vector<uint32_t> sample;
  /// A seed; if not 0, approximate results are changed within their error bounds.
  uint64_t perturb = 0;
  bool trace = false;  ///< fill RunReport::blocks
  /// Assume that no output depends on what approximate values decide: it makes no output uncertain,
  /// and does not set RunReport::approximate_control.
  bool ignore_approximate_control = false;
  /// The number of parts of a whole frame that may run at the same time, if invocations cannot
  /// affect each other (not DependsOnSchedule). The report is the same, except for what ran at the
  /// same time as a trap.
  uint32_t threads = 1;
};

struct Trap {
  enum class Kind : uint8_t {
    /// "the behaviour is undefined", or an undefined value is used where that holds.
    kUndefinedBehaviour,
    kRace,   ///< two invocations access the same memory, and one writes
    kLimit,  ///< steps, memory or time; the module is not at fault
    kAudit,  ///< a claim of the Audit is false
  };
  Kind kind = Kind::kUndefinedBehaviour;
  bool out_of_time = false;  ///< the limit was RunOptions::deadline: another run may get farther
  std::string message;       ///< for example "OpUDiv %12: division by zero"
  Inst instruction = Inst::kNone;
  Function function = Function::kNone;
  uint32_t invocation[3] = {};  ///< pixel or GlobalInvocationId
};

/// The number of executions of a block.
struct BlockCount {
  Id label = Id::kNone;
  uint64_t invocations = 0;  ///< includes helper invocations
};

struct RunReport {
  std::optional<Trap> trap;  ///< the first trap; outputs are those of what ran before it
  Outputs outputs;
  /// For each target, the shadow of each component of each pixel (in the order of ColourTarget, one
  /// byte each). kUndefined for components that were never written; kExact where the shader
  /// discarded.
  std::vector<std::string> target_shadows;
  /// For each 8-bit target, the levels that a correct implementation may give, one byte for each
  /// component of each pixel; empty for other targets. A bound is the error bound of the value,
  /// and a quarter of a level for the conversion (as in near_boundary). Nothing is known (0 to 255)
  /// about a value without an error bound, an undefined component, a pixel outside of the sample, a
  /// pixel of open coverage, and a pixel where an approximate value decided what the invocation
  /// does. If the shader discarded, both bounds are 0. The bounds hold for the order of execution
  /// of this run, and not after a trap.
  std::vector<LevelBounds> target_bounds;
  /// For each buffer of outputs.buffers, the shadow of each byte; empty if all are exact.
  std::vector<std::string> buffer_shadows;
  /// For each image of outputs.images, the shadow of each texel; empty if all are exact.
  std::vector<std::string> image_shadows;
  /// An approximate value decided control flow, an address and so on.
  bool approximate_control = false;
  /// For a vertex shader: it is not fully defined which pixels its triangles cover
  /// (docs/interpreter.md). Targets are approximate at these pixels.
  bool open_coverage = false;
  bool near_boundary = false;      ///< an 8-bit colour is within 0.25/255 of a rounding boundary
  uint64_t steps = 0;              ///< the number of executed instructions of all invocations
  std::vector<BlockCount> blocks;  ///< with trace: every block of the functions that are reachable
  /// With find_uniform: values and parameters of functions that were computed at least once and
  /// were exact and the same every time, in every invocation, including helpers.
  std::vector<Id> uniform;

  /// True if no component of the targets and buffers is undefined.
  bool OutputsDefined() const;
  /// True if the verdict is exact, as section "verdict exact" of docs/interpreter.md defines it.
  bool Exact() const;
};

RunReport Run(const Program& program, const RunOptions& options = {});

}  // namespace interp
}  // namespace refract
