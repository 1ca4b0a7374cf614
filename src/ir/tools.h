// SPDX-License-Identifier: Apache-2.0
// Thin wrappers over SPIRV-Tools: assemble, disassemble, validate, optimise. Nothing here prints;
// what SPIRV-Tools says comes back in a Result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract::inline ir {

/// What a module is validated for. The universal ones ask only what SPIR-V itself asks.
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

/// Names as SPIRV-Tools spells them: "vulkan1.1spv1.4", "spv1.0". The error lists them all.
Result<TargetEnvironment> ParseTargetEnvironment(std::string_view name);
std::string_view NameOf(TargetEnvironment environment);
/// The smallest Vulkan environment that takes modules of this version; of an unknown version the
/// newest.
TargetEnvironment DefaultEnvironment(uint32_t version_word);
/// The universal environment of this version; of an unknown version the newest.
TargetEnvironment UniversalEnvironment(uint32_t version_word);
/// The highest version of SPIR-V that the environment accepts, as a version word.
uint32_t HighestVersion(TargetEnvironment environment);
bool IsVulkan(TargetEnvironment environment);

/// How long spirv-val may take over a module that we did not make, unless a user says otherwise,
/// and how much memory.
constexpr uint32_t kValidatorSeconds = 60;
constexpr uint64_t kValidatorMemory = uint64_t{2} << 30;

/// spirv-val's options, by the same names without the dashes ("scalar-block-layout").
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
  uint32_t seconds = kValidatorSeconds;  ///< what FindInvalidWithin gives it; no recording has it
  friend bool operator==(const ValidationOptions&, const ValidationOptions&) = default;
};
/// Switches on the option of this name; the error lists the names.
Status SetValidationOption(std::string_view name, ValidationOptions* options);
/// Names of what is switched on, in a fixed order: what a recording stores.
std::vector<std::string> NamesOf(const ValidationOptions& options);

/// What the validator found wrong first.
struct ValidationError {
  uint32_t instruction = 0;  ///< counted from 1 in the file; 0 if it is not about one instruction
  std::string message;       ///< the validator's words; the offending instruction on its last line
  bool unfinished = false;  ///< it came to no answer: `message` says which limit, or how it crashed
};
/// The first error, or nothing for a valid module. The universal limits of SPIR-V 2.17 are judged.
std::optional<ValidationError> FindInvalid(std::span<const uint32_t> words,
                                           TargetEnvironment environment,
                                           const ValidationOptions& options = {});
/// The same of a module from outside, in a process of its own that is killed after options.seconds
/// or with more than kValidatorMemory: there are small modules over which spirv-val sits for ever,
/// takes all memory or crashes.
std::optional<ValidationError> FindInvalidWithin(std::span<const uint32_t> words,
                                                 TargetEnvironment environment,
                                                 const ValidationOptions& options = {});
/// "instruction 12: what: the instruction", on one line and without a file name.
std::string OneLine(const ValidationError& error);
/// FindInvalid and FindInvalidWithin as a Status, in the words of OneLine.
Status Validate(std::span<const uint32_t> words, TargetEnvironment environment,
                const ValidationOptions& options = {});
Status ValidateWithin(std::span<const uint32_t> words, TargetEnvironment environment,
                      const ValidationOptions& options = {});

struct DisassemblyOptions {
  bool friendly_names = false;  ///< %main instead of %4
  bool indent = false;
  bool header = false;  ///< the comment with version, generator and bound
};
Result<std::string> Disassemble(std::span<const uint32_t> words,
                                const DisassemblyOptions& options = {});

/// Numeric ids keep their numbers. The module's version is HighestVersion(environment). The error
/// begins with "LINE:COLUMN: ".
Result<std::vector<uint32_t>> Assemble(std::string_view text, TargetEnvironment environment);
/// The version in a "; Version: 1.3" comment, as the disassembler writes it, as a version word.
std::optional<uint32_t> VersionInComment(std::string_view text);

/// Runs spirv-opt's passes: flags as on its command line ("-O", "-Os",
/// "--eliminate-dead-branches"). The input is not validated.
Result<std::vector<uint32_t>> Optimize(std::span<const uint32_t> words,
                                       const std::vector<std::string>& flags,
                                       TargetEnvironment environment);

/// Version and build of the SPIRV-Tools in this executable.
std::string ToolsVersion();

/// The difference of two modules by instruction, as a unified diff of their disassemblies.
struct InstructionDiff {
  std::string text;    ///< empty if they are equal
  size_t added = 0;    ///< instructions only in b
  size_t removed = 0;  ///< instructions only in a

  /// "Instructions of difference", wherever we say so: one that was changed counts once.
  size_t count() const { return added > removed ? added : removed; }
};
Result<InstructionDiff> DisassemblyDiff(std::span<const uint32_t> a, std::span<const uint32_t> b,
                                        size_t context = 3);

}  // namespace refract::inline ir
