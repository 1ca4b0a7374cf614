// SPDX-License-Identifier: Apache-2.0
// Writes the test folder of a variant that fails on a target, reduced or as it was found.
#pragma once

#include <optional>
#include <string>

#include "engine/original.h"
#include "folder/test_folder.h"
#include "message/recording.h"
#include "reduce/reduce.h"
#include "reduce/smallest_wrong_output.h"
#include "reduce/target_interestingness.h"
#include "target/blame.h"

namespace refract {
inline namespace campaign {

/// A failing variant, and how it is run.
struct FailingVariant {
  const Original& original;
  const message::Recording& recording;   ///< with all steps
  Candidate variant;                     ///< what `recording` makes of `original`
  const Reduction* reduction = nullptr;  ///< null: the variant was not reduced
  /// Of a wrong output: the small programs; null: none.
  const SmallestWrongOutput* smallest = nullptr;
  TargetTest& interestingness;  ///< has the signature of the failure
  const Target& target;
  RunSettings run;
  uint32_t confirmations = 3;
  std::optional<Blame> blame = std::nullopt;  ///< for the failure of the reduced variant
};

/// Adds the modules of a smallest wrong output to a folder, and their numbers of instructions.
void AddSmallPrograms(const SmallestWrongOutput& smallest, TestRecord* record,
                      TestContents* contents);

/// Runs the smallest variant `confirmations` times, counts how often it fails with the signature,
/// and writes the folder. Returns the content of test.json.
Result<TestRecord> WriteFailingVariant(const std::string& folder, const FailingVariant& failing,
                                       Harness& harness);

}  // namespace campaign
}  // namespace refract
