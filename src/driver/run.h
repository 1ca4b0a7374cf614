// SPDX-License-Identifier: Apache-2.0
// One run of a module on a target: the request (Job) and its result (RunResult).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/image.h"
#include "input/bindings.h"
#include "input/inputs.h"
#include "input/outputs.h"
#include "ir/tools.h"
#include "signature/code_names.h"
#include "signature/signature.h"

namespace refract {
inline namespace driver {

/// Makes a worker misbehave instead of running the module, so that tests need no broken driver.
/// Only tests set one.
enum class TestFault : uint32_t {
  kNone,
  kSegmentationFault,
  kAbort,
  kStackOverflow,
  kSpin,               ///< never answers
  kExit,               ///< exit(7) in the middle of the job
  kLoseDevice,         ///< reports VK_ERROR_DEVICE_LOST
  kNonsense,           ///< answers with meaningless bytes
  kSlow,               ///< spins for two seconds, then does the job
  kCorruptStack,       ///< overwrites its stack and the register that points to it, then faults
  kCorruptHeap,        ///< overwrites the header of a malloc block, then frees it
  kOverflowInThread,   ///< overflows the stack of another thread
  kJit,                ///< faults in code that belongs to no file
  kEatMemory,          ///< allocates and writes memory forever
  kBadAlloc,           ///< throws std::bad_alloc without a handler
  kReportOutOfMemory,  ///< reports VK_ERROR_OUT_OF_DEVICE_MEMORY
  kPrintGigabyte,      ///< writes 1 GiB to stderr, then does the job
};

struct Job {
  std::vector<uint32_t> spirv;  ///< in the byte order of this machine
  std::string entry = "main";   ///< the entry point, of a fragment, vertex or compute shader
  /// Must have every resource that the entry point uses statically: drivers do not check.
  Bindings bindings;
  double time_limit = 10;  ///< seconds, after which a run counts as a hang
  /// Bytes of resident memory that the driver's process may use; tools have limits of their own.
  uint64_t memory_limit = uint64_t{4} << 30;
  bool pipeline_only = false;  ///< only compile; always so for targets of that kind
  bool validate = false;       ///< with VK_LAYER_KHRONOS_validation
  /// Also run a compute shader with subgroup operations if workgroups do not consist of whole
  /// subgroups.
  bool partial_subgroups = false;
  /// The environment for which the output of a tool is validated: that of the original. If it is
  /// not set, it is an environment of the module's SPIR-V version in which the module is valid.
  std::optional<TargetEnvironment> environment;
  ValidationOptions validation;
  /// The outputs that the inputs state. The harness compares them after the run; the worker does
  /// not.
  std::optional<ExpectedOutputs> expected;
  TestFault fault = TestFault::kNone;
};

enum class RunOutcome : uint32_t {
  kOk,             ///< ran to the end; has outputs unless only a pipeline was made
  kCrash,          ///< the driver ended its process, or a tool crashed
  kHang,           ///< over the time limit, killed
  kError,          ///< a Vulkan call failed, or a tool wrote no output
  kDeviceLost,     ///< a Vulkan call failed with VK_ERROR_DEVICE_LOST
  kRejected,       ///< a tool refused the module; not a finding if it refuses the original
  kInvalidOutput,  ///< a tool wrote an invalid module, or no module at all
  kUndefined,      ///< the interpreter found undefined behaviour
  kUnexpected,     ///< ran to the end, with other outputs than Job::expected
  kSlow,           ///< over the time limit, but ends (target/time_limits.h); has outputs
  kOutOfMemory,    ///< over the memory limit, or an allocation failed
  kUnsupported,    ///< the device or the harness cannot run such a module
  kNotUsable,      ///< the target is missing or lost
  kOurError,       ///< the job is not meaningful, or this machine did not allow to run it
};
/// "ok", "crash", "hang", "error", "device_lost", "rejected", "invalid_output",
/// "undefined_behaviour", "unexpected_output", "slow", "out_of_memory", "unsupported",
/// "target_not_usable", "our_error".
std::string_view RunOutcomeName(RunOutcome verdict);

struct RunResult {
  RunOutcome verdict = RunOutcome::kOk;
  std::string detail;  ///< what happened, in one line; empty if ok
  double seconds = 0;  ///< from sending the job to its answer
  /// Processor time in seconds: of the driver's process or the tools, and of this process
  /// (encoding, decoding, waiting, validating).
  double cpu_seconds = 0, own_cpu_seconds = 0;
  std::string target;  ///< the target or, if a command target reached its driver, that driver

  Outputs outputs;           ///< empty unless ok, unexpected or slow
  bool wrong_image = false;  ///< unexpected: true for an image, false for a buffer

  int signal = 0;     ///< crash by a signal: its number
  int exit_code = 0;  ///< crash without a signal: the exit code
  /// Crash: the stack, innermost frame first. A frame is "libfoo.so.1!symbol+0x12" or, without a
  /// symbol, "libfoo.so.1+0x1234"; the first frame of a file has " [build-id 12ab..]". "jit" is
  /// code that belongs to no file. There are no absolute addresses and no folders.
  std::vector<std::string> backtrace;
  bool stack_overflow = false;  ///< crash: it was a stack overflow
  std::string output;           ///< the first and the last MiB of stderr and stdout
  /// Not ok: names of the module that the texts above contain (NamesIn). Set by the harness.
  std::vector<std::string> names;

  std::string vulkan_call;  ///< error, device lost: the call, e.g. "vkCreateGraphicsPipelines"
  int32_t vulkan_code = 0;  ///< the result of that call
  std::vector<std::string> validation_messages;  ///< with Job::validate
  uint32_t jobs_before = 0;                      ///< number of jobs that the same worker did before

  // Command targets only:
  std::string command;            ///< the command that failed; empty if none did
  std::string passes;             ///< of spirv-opt, if the list was drawn or given: "--a --b"
  std::string validator_message;  ///< invalid output: the message of the validator
  std::vector<uint32_t> spirv;    ///< the output of the tools, valid or not; may be empty
};

/// The colour target at location 0 as an image; empty if not found or it is not 8-bit.
Image ImageAtLocation0(const Outputs& outputs);

/// The facts about a run that was not ok, for signature/signature.h.
FailureData FactsOf(const RunResult& result);
/// The text of its signature, e.g. "crash lavapipe: SIGSEGV libfoo.so+0x1234"; empty if ok.
std::string Signature(const RunResult& result);

/// What the device of a target reports about itself.
struct DeviceInfo {
  std::string device;       ///< "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string driver;       ///< "llvmpipe"
  std::string driver_info;  ///< "Mesa 22.3.6 (LLVM 15.0.6)"
  uint32_t api_version = 0;
  uint32_t driver_version = 0;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
};

/// "1.3.230"
std::string ApiVersionText(uint32_t api_version);

}  // namespace driver
}  // namespace refract
