// SPDX-License-Identifier: Apache-2.0
// Thin wrappers of SPIRV-Tools: assemble, disassemble, validate, optimise. They do not print; the
// messages of SPIRV-Tools are in the Result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace ir {

/// The environment for which a module is validated. The universal ones require only what SPIR-V
/// itself requires.
enum class TargetEnvironment : uint8_t {
  kUniversal10,
  kUniversal11,
  kUniversal12,
  kUniversal13,
  kUniversal14,
  kUniversal15,
  kUniversal16,
  kVulkan10,
  kVulkan11,
  kVulkan11Spirv14,
  kVulkan12,
  kVulkan13,
};

/// A module's version word: 0x00010300 for 1.3.
constexpr uint32_t VersionWord(uint32_t major, uint32_t minor) {
  return major << 16 | minor << 8;
}

/// The environment of this name, spelled as in SPIRV-Tools: "vulkan1.1spv1.4", "spv1.0". The error
/// lists all names.
Result<TargetEnvironment> ParseTargetEnvironment(std::string_view name);
std::string_view NameOf(TargetEnvironment environment);
/// The smallest Vulkan environment that accepts modules of this version; the newest for unknown
/// versions.
TargetEnvironment DefaultEnvironment(uint32_t version_word);
/// The universal environment of this version; the newest for unknown versions.
TargetEnvironment UniversalEnvironment(uint32_t version_word);
/// The highest version of SPIR-V that the environment accepts, as a version word.
uint32_t HighestVersion(TargetEnvironment environment);
bool IsVulkan(TargetEnvironment environment);

/// The default limits of time and memory for spirv-val on modules that Refract did not make.
constexpr uint32_t kValidatorSeconds = 60;
constexpr uint64_t kValidatorMemory = uint64_t{2} << 30;

/// spirv-val's options, named as there without the dashes ("scalar-block-layout").
struct ValidationOptions {
  bool relax_struct_store = false;
  bool relax_logical_pointer = false;
  bool relax_block_layout = false;
  bool uniform_buffer_standard_layout = false;
  bool scalar_block_layout = false;
  bool workgroup_scalar_block_layout = false;
  bool skip_block_layout = false;
  bool allow_localsizeid = false;
  bool before_hlsl_legalization = false;
  /// The limit of FindInvalidWithin; 0: none, in this process. Not part of recordings.
  uint32_t seconds = kValidatorSeconds;
  friend bool operator==(const ValidationOptions&, const ValidationOptions&) = default;
};
/// Sets the option of this name to true; the error lists the names.
Status SetValidationOption(std::string_view name, ValidationOptions* options);
/// The names of the options that are true, in a fixed order: recordings store them.
std::vector<std::string> NamesOf(const ValidationOptions& options);

/// The first error that the validator found.
struct ValidationError {
  /// Counted from 1 in the file; 0 if the error is not about one instruction.
  uint32_t instruction = 0;
  /// The validator's message; the last line is the offending instruction.
  std::string message;
  bool unfinished = false;  ///< there is no answer: `message` names the limit or the crash
};
/// The first error, or nullopt for a valid module. Also checks the universal limits of SPIR-V 2.17.
std::optional<ValidationError> FindInvalid(std::span<const uint32_t> words,
                                           TargetEnvironment environment,
                                           const ValidationOptions& options = {});
/// The same for an untrusted module, in a process that is killed after options.seconds or at
/// kValidatorMemory: for some small modules, spirv-val never ends, uses all memory or crashes.
std::optional<ValidationError> FindInvalidWithin(std::span<const uint32_t> words,
                                                 TargetEnvironment environment,
                                                 const ValidationOptions& options = {});
/// From now on, FindInvalidWithin keeps its processes for later calls. Only for programs of our
/// own: a process that uses the library should not have children that it does not know of.
void KeepValidators();
/// The error on one line, without a file name: "instruction 12: message: the instruction".
std::string OneLine(const ValidationError& error);
/// FindInvalid and FindInvalidWithin as a Status, with the text of OneLine.
Status Validate(std::span<const uint32_t> words, TargetEnvironment environment,
                const ValidationOptions& options = {});
Status ValidateWithin(std::span<const uint32_t> words, TargetEnvironment environment,
                      const ValidationOptions& options = {});

struct DisassemblyOptions {
  bool friendly_names = false;  ///< %main in place of %4
  bool indent = false;
  bool header = false;  ///< the comment with version, generator and bound
};
Result<std::string> Disassemble(std::span<const uint32_t> words,
                                const DisassemblyOptions& options = {});

/// Numeric ids keep their numbers. The version of the module is HighestVersion(environment). The
/// error begins with "LINE:COLUMN: ".
Result<std::vector<uint32_t>> Assemble(std::string_view text, TargetEnvironment environment);
/// The version in a comment such as "; Version: 1.3", which the disassembler writes, as a version
/// word.
std::optional<uint32_t> VersionInComment(std::string_view text);

/// Runs passes of spirv-opt, with flags as on its command line ("-O", "-Os",
/// "--eliminate-dead-branches"). Does not validate the input.
Result<std::vector<uint32_t>> Optimize(std::span<const uint32_t> words,
                                       const std::vector<std::string>& flags,
                                       TargetEnvironment environment);

/// The difference between two modules by instruction, as a unified diff of their disassemblies.
struct InstructionDiff {
  std::string text;    ///< empty if they are equal
  size_t added = 0;    ///< instructions only in b
  size_t removed = 0;  ///< instructions only in a

  /// The number of "instructions of difference" in all reports; a changed instruction counts once.
  size_t count() const { return added > removed ? added : removed; }
};
Result<InstructionDiff> DisassemblyDiff(std::span<const uint32_t> a, std::span<const uint32_t> b,
                                        size_t context = 3);

}  // namespace ir
}  // namespace refract
