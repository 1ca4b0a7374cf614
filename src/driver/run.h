// SPDX-License-Identifier: Apache-2.0
// One run of a module on a target: what is asked (Job) and what came of it (RunResult).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signature/code_names.h"
#include "signature/signature.h"
#include "image/image.h"
#include "input/bindings.h"
#include "input/inputs.h"
#include "input/outputs.h"
#include "ir/tools.h"

namespace refract::inline driver {

/// Makes a worker misbehave instead of running the module, so that tests can see what becomes of
/// it without a broken driver. Nothing but tests sets one.
enum class TestFault : uint32_t {
  kNone,
  kSegmentationFault,
  kAbort,
  kStackOverflow,
  kSpin,              ///< never answers
  kExit,              ///< exit(7) in the middle of the job
  kLoseDevice,        ///< says VK_ERROR_DEVICE_LOST
  kNonsense,          ///< answers with bytes that are no answer
  kSlow,              ///< spins for two seconds, then does the job
  kRuinStack,         ///< overwrites its stack and the register that points to it, then faults
  kRuinHeap,          ///< overwrites what malloc keeps about blocks, then frees one
  kOverflowInThread,  ///< overflows the stack of another thread
  kJit,               ///< faults in code that belongs to no file
  kEatMemory,         ///< takes and touches memory for ever
  kBadAlloc,          ///< throws std::bad_alloc, which nobody catches
  kSayNoMemory,       ///< says VK_ERROR_OUT_OF_DEVICE_MEMORY
  kPrintGigabyte,     ///< writes 1 GiB to stderr, then does the job
};

struct Job {
  std::vector<uint32_t> spirv;  ///< a module of this machine's byte order
  std::string entry = "main";   ///< its entry point, of a fragment, vertex or compute shader
  /// Every resource the entry point uses statically must be here: drivers do not check.
  Bindings bindings;
  double time_limit = 10;  ///< seconds until a run counts as hung
  /// Bytes that the driver's process may really use; of tools, their own limits count.
  uint64_t memory_limit = uint64_t{4} << 30;
  bool pipeline_only = false;  ///< compile, run nothing; implied by a target of that kind
  bool validate = false;       ///< under VK_LAYER_KHRONOS_validation
  /// Run a compute shader with subgroup operations also where workgroups are no whole subgroups.
  bool partial_subgroups = false;
  /// What the output of a tool is validated for, as the original was; default: the environment of
  /// the module's version that takes the module.
  std::optional<TargetEnvironment> environment;
  ValidationOptions validation;
  /// What the inputs say that it leaves behind; whoever runs it compares, the worker does not.
  std::optional<ExpectedOutputs> expected;
  TestFault fault = TestFault::kNone;
};

enum class RunVerdict : uint32_t {
  kOk,             ///< ran to the end; there are outputs unless only a pipeline was made
  kCrash,          ///< the driver took its process down, or a tool crashed
  kHang,           ///< over the time limit, killed
  kError,          ///< a Vulkan call failed, or a tool made nothing
  kDeviceLost,     ///< it failed with VK_ERROR_DEVICE_LOST
  kRejected,       ///< a tool said no. Of an original this is no finding: it cannot be run there
  kInvalidOutput,  ///< a tool made what is no module, or one that the validator refuses
  kUndefined,      ///< the interpreter met undefined behaviour
  kUnexpected,     ///< ran to the end, and left behind other than Job::expected
  kSlow,           ///< over the time limit, but it ends (target/patience.h); there are outputs
  kOutOfMemory,    ///< over the memory limit, or it said or was told that there is no more
  kUnsupported,    ///< the device lacks what the module needs, or it is no module for a harness
  kNotUsable,      ///< the target is not there, or nothing runs on it any more
  kOurError,       ///< the job makes no sense, or this machine would not let us run it
};
/// "ok", "crash", "hang", "error", "device_lost", "rejected", "invalid_output",
/// "undefined_behaviour", "unexpected_output", "slow", "out_of_memory", "unsupported",
/// "target_not_usable", "our_error".
std::string_view RunVerdictName(RunVerdict verdict);

struct RunResult {
  RunVerdict verdict = RunVerdict::kOk;
  std::string detail;  ///< one line saying what happened; empty if ok
  double seconds = 0;  ///< from handing the job over to the answer
  /// Of processor time: what the driver's process or the tools used, and what this process did for
  /// it (encoding, decoding, waiting, validating).
  double cpu_seconds = 0, own_cpu_seconds = 0;
  std::string
      target;  ///< who did this: of a command target's last stage, the driver it rendered on

  Outputs outputs;             ///< empty unless ok, unexpected or slow, and run
  bool wrong_picture = false;  ///< unexpected: a picture; otherwise a buffer

  int signal = 0;     ///< crash by a signal: its number
  int exit_code = 0;  ///< crash by leaving: the exit code
  /// Crash: innermost frame first, "libfoo.so.1!symbol+0x12" or, where there is no symbol,
  /// "libfoo.so.1+0x1234", the first of a file with " [build-id 12ab..]"; "jit" where the code
  /// belongs to no file. No absolute address, no folder.
  std::vector<std::string> backtrace;
  bool stack_overflow = false;  ///< crash: it met the end of its stack
  std::string output;           ///< what the driver wrote to stderr and stdout, first and last MiB

  std::string vulkan_call;  ///< error, device lost: the call, e.g. "vkCreateGraphicsPipelines"
  int32_t vulkan_code = 0;  ///< and what it returned
  std::vector<std::string> validation_messages;  ///< with Job::validate
  uint32_t jobs_before = 0;                      ///< jobs that the same worker had done before

  // Of command targets:
  std::string command;            ///< the command that failed; empty if none did
  std::string passes;             ///< of spirv-opt, where the target's list varies: "--a --b"
  std::string validator_message;  ///< invalid output: what the validator said
  std::vector<uint32_t> spirv;    ///< what the tools made, invalid or not; empty if nothing
};

/// What is at location 0 as a picture; an empty one if nothing is or it is not 8-bit.
Image PictureOf(const Outputs& outputs);

/// What signature/signature.h wants to know of a run that was not ok.
FailureFacts FactsOf(const RunResult& result);
/// The text of its signature, e.g. "crash lavapipe: SIGSEGV libfoo.so+0x1234"; empty if ok.
std::string Signature(const RunResult& result);

/// What the device behind a target says it is.
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

}  // namespace refract::inline driver
