// SPDX-License-Identifier: Apache-2.0
// The runs of `refract issue`: does the failure reproduce, which pass causes it, and what do other
// targets and other versions of the target do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/issue/test_folder_run.h"
#include "folder/issue.h"

namespace refract {
inline namespace cli {

/// A module of the folder that shows the failure without the original: smallest.spv, or for a wrong
/// output of a driver check.spv.
struct SmallProgram {
  std::string name;                     ///< "smallest", "check"
  std::vector<RunnableModule> modules;  ///< one
  std::optional<RunResult> expected;    ///< of a wrong output: the outputs of the interpreter
};

/// A test folder in memory.
struct IssueTest {
  std::string folder;
  TestRecord record;
  std::vector<RunnableModule> modules;  ///< of LoadTestModules
  std::optional<RunResult> expected;    ///< of ExpectedOf
  std::optional<SmallProgram> small;    ///< nothing: the folder has none
  std::optional<Target> target;         ///< nothing if it is unknown here and nothing is run
  std::vector<Target> targets;          ///< all known targets
};

/// What the runs gave, besides the members of Issue.
struct IssueRuns {
  std::optional<TestRun> shown;  ///< a run with the failure
  std::optional<TestRun> small;  ///< a run in which the small program fails in the same way
  /// The target with only the pass that fails, if that is enough for the failure.
  std::optional<Target> one_pass;
};

/// Runs the test `times` times and, if the failure reproduces, makes the other runs. Sets the
/// members of `issue` that the runs give. If the failure does not reproduce, issue->failed is 0.
Result<IssueRuns> RunForIssue(const IssueTest& test, uint64_t times, Console& console,
                              Issue* issue);

/// Whether both targets are the same tool or the same driver, perhaps in another version. Of two
/// drivers, only the kind is compared.
bool IsSameProgram(const Target& a, const Target& b);

}  // namespace cli
}  // namespace refract
