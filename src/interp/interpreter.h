// SPDX-License-Identifier: Apache-2.0
// The reference interpreter: runs fragment, vertex and compute entry points, knows of every scalar
// how far it is fixed by the specifications, and stops at undefined behaviour.
//
// SHADOWS. Every scalar component is exact, approximate (it depends on a result for which Vulkan's
// table "Precision of core SPIR-V Instructions" or a rearrangement allows more than one value) or
// undefined. Undefined values travel; they trap where they steer a branch, form an address, index
// or coordinate, are an operand with undefined behaviour, or reach memory that others see.
//
// HOW IT RUNS. A module is decoded once (Program). Invocations run in batches, all of a batch
// through one instruction at a time; those that took another branch wait where control flow joins
// again. A batch is a workgroup or some whole quads. Everything is reproducible: no libm, no
// clock (but where a run gets a deadline), no addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "input/bindings.h"
#include "input/outputs.h"
#include "ir/call_graph.h"
#include "ir/divergence/divergence.h"
#include "ir/module.h"

namespace refract::inline interp {

enum class Shadow : uint8_t { kExact = 0, kApproximate = 1, kUndefined = 2 };

/// A value or a part of one, for audits: `value[path[0]][path[1]]...`.
struct ValuePath {
  Id value = Id::kNone;
  std::vector<uint32_t> path;
};

/// What is claimed about a module beyond what it says: the interpreter tries to prove it wrong.
struct Audit {
  std::vector<Id> dead_blocks;  ///< labels: entering one is a trap
  /// Equal wherever both are available, bit for bit.
  std::vector<std::pair<ValuePath, ValuePath>> equal;
  /// With `randomise`: these get random values when they are made, and what these point to is
  /// overwritten when the pointer is made and behind each of its uses.
  std::vector<Id> irrelevant_values;
  std::vector<Id> irrelevant_pointees;
  /// Have one and the same value, always and in all invocations.
  std::vector<Id> uniform;
  /// As ir/divergence/divergence.h has it, of those that are there at once: values that all of a scope that
  /// make them agree on where they are defined, and labels of blocks that all of a scope enter, or
  /// none. They hold with early reconvergence, and of a draw no more is seen than of one batch.
  std::vector<std::pair<Id, DivergenceClass>> agreed;
  uint64_t randomise = 0;  ///< seed; 0: irrelevant values stay as computed
};

struct DecodeOptions {
  const Audit* audit = nullptr;
  /// Run this function instead of the entry point's, in as many invocations, on random arguments
  /// drawn from `function_seed`: what live-safe functions are tested by.
  Function only_function = Function::kNone;
  uint64_t function_seed = 0;
  /// Seed; not 0: inputs that only a vertex shader could give are made up, each a function of seed,
  /// location, component and invocation, instead of being refused.
  uint64_t made_up_inputs = 0;
  bool find_uniform = false;  ///< fill RunReport::uniform: costs about a half of the speed
};

/// A module and its inputs, decoded. Immutable; threads may run one at once.
class Program {
 public:
  /// `file` is what errors call the module, which must be valid and outlive the program.
  /// kUnavailable for what cannot be run: the error names the instruction. Every resource that the
  /// entry point uses must be in `bindings`. With a companion in these the two shaders of a
  /// pipeline are decoded; the reports are about both, but for blocks and uniform values.
  static Result<Program> Decode(const Module& module, const EntryPoint& entry,
                                const Bindings& bindings, const std::string& file,
                                const DecodeOptions& options = {});
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  const Module& module() const;
  /// Whether invocations can see of each other what Schedule settles: it has derivatives, subgroup
  /// operations, barriers or memory that several write.
  bool DependsOnSchedule() const;

  struct Code;
  const Code& code() const { return *code_; }

 private:
  explicit Program(std::unique_ptr<const Code> code);
  std::unique_ptr<const Code> code_;
};

/// What the specifications leave open and a run has to settle.
struct Schedule {
  enum class Order : uint8_t { kForward, kBackward, kShuffled };
  Order order = Order::kForward;  ///< of invocations in an instruction, and of batches
  uint64_t seed = 0;              ///< of kShuffled
  uint32_t subgroup_size = 32;    ///< a power of two, 4 to 128
  bool late_reconvergence = false;
  bool fine_derivatives = true;  ///< of OpDPdx and the like, which may be either

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

struct Limits {
  uint64_t steps_per_invocation = uint64_t{1} << 22;
  uint64_t steps = uint64_t{1} << 36;   ///< of all invocations together
  uint64_t memory = uint64_t{1} << 30;  ///< bytes, of one batch with all its variables
};

struct RunOptions {
  Schedule schedule;
  Limits limits;
  /// A run that is not done by then ends with a trap kLimit that is `out_of_time`, some 10 ms
  /// later.
  Deadline deadline;
  /// Fragment: numbers of quads (row by row, the frame rounded up to whole quads); compute: numbers
  /// of workgroups (x fastest). Ascending. Empty: all.
  std::vector<uint32_t> sample;
  uint64_t perturb = 0;  ///< seed; not 0: approximate results are off by as much as they may be
  bool trace = false;    ///< fill RunReport::blocks
  /// Of a whole frame so many parts may be run at once, where invocations cannot see each other
  /// (not DependsOnSchedule). The report is the same, but
  /// for what was run beside a trap.
  uint32_t threads = 1;
};

struct Trap {
  enum class Kind : uint8_t {
    kUndefinedBehaviour,  ///< "the behaviour is undefined", or an undefined value put to such use
    kRace,                ///< two invocations meet in memory, one writing
    kLimit,               ///< steps, memory or time: not a fault of the module
    kAudit,               ///< a claim of Audit does not hold
  };
  Kind kind = Kind::kUndefinedBehaviour;
  bool out_of_time = false;  ///< the limit is RunOptions::deadline: another run may get farther
  std::string message;       ///< "OpUDiv %12: division by zero"
  Inst instruction = Inst::kNone;
  Function function = Function::kNone;
  uint32_t invocation[3] = {};  ///< pixel, or GlobalInvocationId
};

/// How often a block ran.
struct BlockCount {
  Id label = Id::kNone;
  uint64_t invocations = 0;  ///< helper invocations counted
};

struct RunReport {
  std::optional<Trap> trap;  ///< the first; outputs are those of what ran until then
  Outputs outputs;
  /// For each target the shadow of each of a pixel's components (as in ColourTarget, one byte
  /// each); kUndefined for what was never written, and where the shader discarded: kExact.
  std::vector<std::string> target_shadows;
  /// For each buffer of outputs.buffers the shadow of each byte; empty if all are exact.
  std::vector<std::string> buffer_shadows;
  /// For each image of outputs.images the shadow of each texel; empty if all are exact.
  std::vector<std::string> image_shadows;
  bool approximate_control = false;  ///< an approximate value steered control flow, an address, ...
  /// Of a vertex shader's triangles: which pixels they cover is not all fixed
  /// (docs/interpreter.md); targets are approximate there.
  bool open_coverage = false;
  bool near_boundary = false;      ///< an 8-bit colour lies within 0.25/255 of a rounding boundary
  uint64_t steps = 0;              ///< instructions run, all invocations together
  std::vector<BlockCount> blocks;  ///< with trace: every block of the functions that are reached
  /// With find_uniform: values that functions compute or are given, that were computed at least
  /// once, exact, and the same each time in every invocation, helpers too.
  std::vector<Id> uniform;

  /// No undefined component anywhere in targets and buffers.
  bool OutputsDefined() const;
  /// As section "verdict exact" of docs/interpreter.md says.
  bool Exact() const;
};

RunReport Run(const Program& program, const RunOptions& options = {});

}  // namespace refract::inline interp
