// SPDX-License-Identifier: Apache-2.0
// A test folder: all that shows one failure, so that people can read it, send it, and run it again
// elsewhere (docs/test-folder.md is its reference). It is written completely or not at all. Files
// that a test does not have (no image of a crash, nothing reduced yet) are absent, and README.md
// says so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "folder/target_record.h"
#include "image/compare.h"
#include "image/image.h"
#include "input/inputs.h"
#include "ir/tools.h"
#include "message/recording.h"
#include "signature/signature.h"

namespace refract {
inline namespace folder {

/// The format that this version writes. It reads this format and older ones.
inline constexpr uint32_t kTestFolderFormat = 1;

/// The content of test.json.
struct TestRecord {
  FailureClass verdict = FailureClass::kUnknown;
  std::string signature;  ///< the text of SignatureOf
  std::string what;       ///< what happened, a sentence (Finding::what); without folders
  TargetRecord target;    ///< DescribeTarget
  /// The bounds of the rule `bounded` are in bounds.png. They are null if there is no such file.
  ComparisonRule rule;
  uint32_t bounded_targets = 0;  ///< how many targets bounds.png has; set by ReadTestRecord
  uint64_t seed = 0;             ///< of the fuzz run that made the variant
  uint32_t runs = 0;             ///< of the (reduced) variant, to confirm the failure
  uint32_t confirmed = 0;        ///< those with the same verdict and signature
  /// No step of the reduced recording can be removed. True only if the last tries proved it.
  bool minimal = false;

  /// The tool or driver that is to blame, "spirv-opt"; empty: unknown, or it was not searched for.
  std::string blamed;
  std::string blamed_pass;  ///< the optimiser pass that is to blame, "--ccp"; empty: unknown

  /// For a control-flow program: the `refract flesh` command that makes the program as it was
  /// found. For a generated program, `generated_by` has its `refract generate` command. The
  /// original is then the program, its inputs have the expected output, and there is no variant.
  std::string fleshed_by, generated_by;
  bool IsProgram() const { return !fleshed_by.empty() || !generated_by.empty(); }
  /// The command that makes the program, to write it to `program` or `program.spv`.
  std::string ProgramCommand() const;
  /// The original itself fails, and there is no variant. For a wrong output, the expected outputs
  /// are those of the interpreter.
  bool unchanged = false;
  bool HasVariant() const { return !IsProgram() && !unchanged; }
  /// For a test of `refract coverage gaps`: the lines of the target that it runs, as
  /// "FILE:FIRST-LAST". It shows no failure, and `unchanged` is true.
  std::string covers;

  std::string entry = "main";
  TargetEnvironment environment = TargetEnvironment::kUniversal10;
  ValidationOptions validation;
  double time_limit = 10;  ///< time limit of the original in seconds
  bool zero_inputs = false;
  bool partial_subgroups = false;

  uint64_t smallest_instructions = 0;  ///< in smallest.spv; 0 without it
  uint64_t pair_instructions = 0;      ///< in pair.original.spv; 0: there is no pair

  // WriteTestFolder sets these members.
  std::string tool, commit, build;  ///< of refract: version, commit, build type
  std::string kernel;               ///< "Linux 6.1.0 x86_64"
  uint32_t variant_steps = 0;       ///< number of steps in variant.refract
  uint32_t steps = 0;               ///< number of steps in reduced.refract
  std::vector<std::string> types;   ///< their step types (TypesOf)
  uint64_t instructions = 0;        ///< that differ from the original (InstructionDiff::count)
  uint64_t pair_difference = 0;     ///< that differ between both modules of the pair
};

/// A module with its inputs and its recording.
struct TestModule {
  std::vector<uint32_t> words;                  ///< empty: there is no such module
  std::shared_ptr<const Inputs> inputs;         ///< null: none
  std::optional<message::Recording> recording;  ///< none for an original
};

/// The contents of the other files. There must be an original. There must also be a variant or a
/// reduced module if TestRecord::HasVariant, and neither otherwise.
struct TestContents {
  TestModule original, variant, reduced;
  std::vector<uint32_t> neighbour;  ///< reduced without its last step: behaves like the original
  /// Smaller than steps can make it, because it computes something else. Without inputs, it has
  /// those of the failing module.
  TestModule smallest;
  TestModule pair_original, pair_variant;  ///< of a wrong output: the smallest pair
  TestModule self_checking;  ///< of a wrong output: a small module that compares its own output
  /// The target's images of the original, and of the reduced module (or of the variant, if nothing
  /// was reduced).
  Image original_image, variant_image;
  Image expected_image;  ///< for TestRecord::unchanged: the interpreter's image of the original
  std::string graph;     ///< of a control-flow program: graph and paths, for people
  std::string log;       ///< LogText of the failure, and other messages
};

/// The types of the steps, each once, sorted.
std::vector<std::string> TypesOf(const message::Recording& recording);

/// Writes a folder with a temporary name next to `folder`, and then renames it. Replaces an
/// existing folder only if it is empty or has only files of a test. Otherwise returns an error.
Status WriteTestFolder(const std::string& folder, const TestRecord& record,
                       const TestContents& contents);

/// Reads test.json of a folder, and bounds.png if the comparison needs it. An error names file and
/// line. No content of the files is a fault of Refract.
Result<TestRecord> ReadTestRecord(const std::string& folder);

/// Reads the recording of the smallest variant: reduced.refract, else variant.refract. There is
/// none without TestRecord::HasVariant.
Result<message::Recording> ReadTestRecording(const std::string& folder);

}  // namespace folder
}  // namespace refract
