// SPDX-License-Identifier: Apache-2.0
// A test folder: all that shows one bug, so that it can be read, sent and run again elsewhere
// (docs/test-folder.md is its reference). Written whole or not at all; what there is not (no
// picture of a crash, nothing reduced yet) is simply not there, and README.md says so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "folder/target_record.h"
#include "signature/signature.h"
#include "image/compare.h"
#include "image/image.h"
#include "input/inputs.h"
#include "ir/tools.h"
#include "message/recording.h"

namespace refract::inline folder {

/// The format that this version writes; it reads this one and older ones.
inline constexpr uint32_t kTestFolderFormat = 1;

/// What test.json says.
struct TestRecord {
  FailureClass verdict = FailureClass::kUnknown;
  std::string signature;  ///< as SignatureOf has it
  std::string what;       ///< what happened, a sentence (Finding::what); paths are cut down
  TargetRecord target;    ///< DescribeTarget
  CompareRule rule = CompareRule::kExact;
  uint64_t seed = 0;       ///< of the fuzz run that made the variant
  uint32_t runs = 0;       ///< so often the (reduced) variant was run to confirm it
  uint32_t confirmed = 0;  ///< and so often verdict and signature came
  /// No step of the reduced recording can go; said only if a last sweep proved it.
  bool minimal = false;

  /// The `refract flesh` line of a fleshed program, as it was found: the original is the program,
  /// its inputs say what it must leave behind, and there is no variant. Empty: there is one.
  std::string fleshed_by;

  std::string entry = "main";
  TargetEnvironment environment = TargetEnvironment::kUniversal10;
  ValidationOptions validation;
  double time_limit = 10;  ///< seconds that the original had
  bool zero_inputs = false;
  bool partial_subgroups = false;

  // Set by WriteTestFolder.
  std::string tool, commit, build;  ///< of refract: version, commit, build type
  std::string kernel;               ///< "Linux 6.1.0 x86_64"
  uint32_t variant_steps = 0;       ///< of variant.refract
  uint32_t steps = 0;               ///< of reduced.refract
  std::vector<std::string> types;   ///< of those, each once, sorted
  uint64_t instructions = 0;        ///< of difference to the original (InstructionDiff::count)
};

/// A module with what belongs to it.
struct TestModule {
  std::vector<uint32_t> words;                  ///< empty: there is no such module
  std::shared_ptr<const Inputs> inputs;         ///< null: none
  std::optional<message::Recording> recording;  ///< of an original: none
};

/// What the other files hold. The original must be there, and one of variant and reduced but of
/// fleshed programs.
struct TestContents {
  TestModule original, variant, reduced;
  std::vector<uint32_t> neighbour;  ///< reduced without its last step, which does as the original
  std::vector<uint32_t> smallest;   ///< beyond what steps can do; of crashes and the like
  /// What the target drew of the original, and of reduced (of the variant if nothing was reduced).
  Image original_picture, variant_picture;
  std::string graph;  ///< of a fleshed program: graph and ways, for people
  std::string log;    ///< LogText of the failure, and whatever else was said
};

/// Writes the folder under a temporary name beside `folder` and renames it. A folder that is there
/// is replaced if it is empty or holds nothing but the files of a test; else it is refused.
Status WriteTestFolder(const std::string& folder, const TestRecord& record,
                       const TestContents& contents);

/// Reads test.json of a folder; any bytes give a record or an error that names file and place.
Result<TestRecord> ReadTestRecord(const std::string& folder);

/// The recording of the smallest variant: reduced.refract, else variant.refract. A fleshed program
/// has none.
Result<message::Recording> ReadTestRecording(const std::string& folder);

}  // namespace refract::inline folder
