// SPDX-License-Identifier: Apache-2.0
// Reduces a program with known output that fails on a target without any variant, and writes its
// test folder.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "campaign/programs/program_test.h"
#include "folder/test_folder.h"

namespace refract {
inline namespace campaign {

/// A failing program, and how it is run.
struct FailingProgram {
  const TestProgram& found;
  Target target;
  std::string signature;  ///< of the failure
  RunSettings run;
  uint32_t confirmations = 3;
};

/// How far the reduction of a program has come, so that it can continue.
struct ProgramProgress {
  std::shared_ptr<const TestProgram> smallest;  ///< the smallest program that fails; null: none yet
  std::set<std::string> refused;                ///< hashes of programs that do not
};

/// Returns the smallest program found that fails on the target with the same signature
/// (TestProgram::Reduce). For a wrong output, the interpreter must also confirm the expected output
/// of each candidate. If the target is lost (Harness::IsLost), returns the smallest program
/// found until then. Begins at `progress`, and updates it; it may be null. Returns an error if the
/// failure does not reproduce at the beginning.
Result<ReducedTestProgram> ReduceProgram(const FailingProgram& test, Harness& harness,
                                         const std::function<bool()>& stop,
                                         ProgramProgress* progress = nullptr);

/// Runs the program (`reduced`, or the program as found if that is null) `test.confirmations`
/// times, counts how often it fails with the signature, and writes the folder. Returns the content
/// of test.json. Ends early if a run loses the target.
Result<TestRecord> WriteFailingProgram(const std::string& folder, const FailingProgram& test,
                                       const ReducedTestProgram* reduced, Harness& harness);

}  // namespace campaign
}  // namespace refract
