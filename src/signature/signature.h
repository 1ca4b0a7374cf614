// SPDX-License-Identifier: Apache-2.0
// What a failure is called: a short text that is the same for the same bug from whichever variant
// or run, and another for another bug. One function for all kinds of failure, drivers' and tools';
// it says how it came to what it says.
//
// A signature is "CLASS WHERE: KEY". WHERE is the stage that failed (a command, a Vulkan call) or,
// where there is none, the target. KEY is, for
//   a crash            what the program said in its last words (an assertion, a sanitiser's
//                      summary, "free(): invalid pointer"), else the top frame of its stack that is
//                      not of the C library or some other machinery of dying, else the signal;
//   rejected, error    what it said was wrong, else the exit code;
//   invalid_output     the validator's message;
//   device_lost, error from a Vulkan call, out_of_memory, unsupported: what the call returned;
//   hang, wrong_image, wrong_buffer, slow, non_deterministic: nothing.
// What varies from variant to variant is replaced: ids, numbers, addresses, folders, names of files
// and places in them, template arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace refract::inline signature {

enum class FailureClass : uint8_t {
  kUnknown,  ///< a log of which nothing else is known
  kCrash,
  kHang,
  kRejected,       ///< a tool said no
  kInvalidOutput,  ///< a tool said yes and made what the validator refuses
  kDeviceLost,
  kError,
  kWrongImage,   ///< a picture, or another colour target
  kWrongBuffer,  ///< a storage buffer or image
  kSlow,
  kNonDeterministic,  ///< now one thing, now another
  kOutOfMemory,
  kUnsupported,  ///< the target says that it cannot run this
  kUndefined,    ///< the interpreter says that the behaviour is undefined
  kNotUsable,    ///< nothing runs on the target any more, not even what it ran before
  kOurError,     ///< no fault of the target's: ours
};
/// "unknown", "crash", ..., "invalid_output", "device_lost", "wrong_image", "slow",
/// "undefined_behaviour", "target_not_usable", "our_error".
std::string_view FailureClassName(FailureClass kind);
/// The class called `name`.
std::optional<FailureClass> FailureClassNamed(std::string_view name);
/// Whether a variant's failure of that class, where its original is well, is for the target's
/// makers. What asks too much of a machine (slow, out of memory, unsupported) is counted and never
/// reported; undefined behaviour and our own errors are for us.
bool IsBug(FailureClass kind);

/// What is known of one failure. Everything but the class may be missing.
struct FailureFacts {
  std::string target;  ///< "lavapipe", "spirv-opt-O"
  std::string stage;   ///< the command or the Vulkan call: "spirv-opt", "vkQueueSubmit"
  FailureClass kind = FailureClass::kUnknown;
  int signal = 0;
  int exit_code = 0;
  bool stack_overflow = false;  ///< the crash is one for sure; deep recursion shows by itself
  std::string code;             ///< what the Vulkan call returned: "VK_ERROR_UNKNOWN"
  /// Innermost first, in the form of RunResult::backtrace or of any line that frames.h reads.
  std::vector<std::string> backtrace;
  std::string output;             ///< what the program said, both streams
  std::string validator_message;  ///< of an invalid output
  std::string detail;             ///< an error's own words, if there is nothing else
};

/// How one part of a signature came to be.
struct SignatureStep {
  std::string rule;  ///< "assertion", "numbers": which rule
  size_t line = 0;   ///< of the output, from 1; 0: not from there
  std::string text;  ///< what the rule found or made
};

struct FailureSignature {
  std::string text;                  ///< at most kMaxSignature characters of printable ASCII
  std::string key;                   ///< the part after the colon; may be empty
  std::string rule;                  ///< which rule gave the key; empty if none did
  std::vector<SignatureStep> steps;  ///< in order; the last makes `text`
};
/// What is longer is cut, and a hash of all of it takes the place of the end.
constexpr size_t kMaxSignature = 160;

FailureSignature SignatureOf(const FailureFacts& facts);

/// Facts from a text: a log that LogText wrote (all of them), or any program's output, of which
/// the class is guessed. Any bytes will do.
FailureFacts FactsFromLog(std::string_view log);
/// A log that says all of `facts` and then the output.
std::string LogText(const FailureFacts& facts);

/// Whether a program that leaves like this has crashed, though no signal ended it: a sanitiser, an
/// assertion or LLVM said so, or a shell in between turned the signal into 128 + its number.
/// `*signal` is that number, if there is one.
bool IsCrashExit(int exit_code, std::string_view output, int* signal);

}  // namespace refract::inline signature
