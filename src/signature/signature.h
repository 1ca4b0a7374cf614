// SPDX-License-Identifier: Apache-2.0
// Signatures. A signature is a short text that names a failure. It is the same for the same bug
// with any variant or run, and differs for different bugs. One function makes the signatures of all
// failures of drivers and tools, and reports each of its steps.
//
// A signature is "CLASS WHERE: KEY". WHERE is the stage that failed (a command or a Vulkan call)
// or, if not found, the target. KEY depends on the class:
//   crash              a crash pattern (an assertion, the summary of a sanitiser, "free(): invalid
//                      pointer"), else the top frame of the stack that is not of the C library or
//                      other code that handles crashes, else the signal;
//   rejected           the error message, else the exit code;
//   invalid_output     the validator's message;
//   device_lost, error, out_of_memory, unsupported and the like: the result of the Vulkan call
//                      or, without one, the message;
//   hang, wrong_image, wrong_buffer, slow, non_deterministic: nothing.
// The parts that vary between variants are replaced: names of the shader, ids, numbers, sizes of
// vectors, addresses, folders, names of files, places in files, template arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace refract {
inline namespace signature {

enum class FailureClass : uint8_t {
  kUnknown,  ///< a log without further information
  kCrash,
  kHang,
  kRejected,       ///< a tool refused the module
  kInvalidOutput,  ///< a tool wrote an output that the validator refuses
  kDeviceLost,
  kError,
  kWrongImage,   ///< an image or another colour target
  kWrongBuffer,  ///< a storage buffer or image
  kSlow,
  kNonDeterministic,  ///< runs of the same module have different outputs
  kOutOfMemory,
  kUnsupported,  ///< the target does not support something that the module needs
  kUndefined,    ///< the interpreter found undefined behaviour
  kNotUsable,    ///< the target is missing or lost
  kOurError,     ///< not a failure of the target
};
/// "unknown", "crash", ..., "invalid_output", "device_lost", "wrong_image", "slow",
/// "undefined_behaviour", "target_not_usable", "our_error".
std::string_view FailureClassName(FailureClass kind);
/// The class called `name`.
std::optional<FailureClass> FailureClassNamed(std::string_view name);
/// Whether a failure of this class is a bug of the target, if the original runs normally there.
/// Classes that depend on the machine (slow, out of memory, unsupported) are counted but never
/// reported. Undefined behaviour and our own errors are not bugs of the target.
bool IsBug(FailureClass kind);
/// Whether the target ended normally with other outputs than expected.
bool IsWrongOutput(FailureClass kind);

/// The known facts of one failure. Only the class is required.
struct FailureData {
  std::string target;  ///< "lavapipe", "spirv-opt-O"
  std::string stage;   ///< the command or the Vulkan call: "spirv-opt", "vkQueueSubmit"
  FailureClass kind = FailureClass::kUnknown;
  int signal = 0;
  int exit_code = 0;
  bool stack_overflow = false;  ///< if known; deep recursion is found without it
  std::string code;             ///< the result of the Vulkan call: "VK_ERROR_UNKNOWN"
  /// Innermost first, in the form of RunResult::backtrace or any other that ReadFrame reads.
  std::vector<std::string> backtrace;
  std::string output;             ///< the output of the program, both streams
  std::string validator_message;  ///< for invalid_output
  std::string detail;             ///< the error message, used if nothing else is known
  /// The names of the module that was run, of which messages may contain some or names made of
  /// them. Names that no text of the failure contains may be left out (NamesIn).
  std::vector<std::string> names = {};
};

/// One step in making a signature.
struct SignatureStep {
  std::string rule;  ///< the name of the rule: "assertion", "numbers"
  size_t line = 0;   ///< line of the output, from 1; 0: not from the output
  std::string text;  ///< the text that the rule found or made
};

struct FailureSignature {
  std::string text;                  ///< at most kMaxSignature characters of printable ASCII
  std::string key;                   ///< the part after the colon; may be empty
  std::string rule;                  ///< the rule that gave the key; may be empty
  std::vector<SignatureStep> steps;  ///< in order; the last makes `text`
};
/// The longest signature. A longer one is cut and ends in a hash of all of it.
constexpr size_t kMaxSignature = 160;

FailureSignature SignatureOf(const FailureData& facts);

/// Those of `names` that a text of the failure contains, as the identifiers that tools make of
/// them.
std::vector<std::string> NamesIn(const FailureData& facts, const std::vector<std::string>& names);

/// Reads facts from a text: all of them from a log of LogText; from the output of any program, the
/// class is guessed. Accepts any bytes.
FailureData FailureFromLog(std::string_view log);
/// A log with all of `facts`, followed by the output.
std::string LogText(const FailureData& facts);

/// Whether a program that exits with this code and output has crashed although no signal ended it:
/// the output has a crash pattern of a sanitiser, an assertion or LLVM, or a shell turned the
/// signal into 128 + its number. `*signal` gets that number, if there is one.
bool IsCrashExit(int exit_code, std::string_view output, int* signal);

}  // namespace signature
}  // namespace refract
