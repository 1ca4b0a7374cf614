// SPDX-License-Identifier: Apache-2.0
// The files that `refract issue` writes: a text, and an archive with everything that it mentions.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/issue/issue_runs.h"
#include "folder/issue.h"

namespace refract {
inline namespace cli {

/// The name of the folder: OUT if the user gives none.
std::string DefaultIssueOutput(const std::string& folder);

/// Refuses to replace OUT.md and OUT.tar.gz without `force`.
Status CheckIssueOutput(const std::string& output, bool force);

/// Reads the small program, if the folder has one. With `runs`, the interpreter computes what its
/// output must be.
Status ReadSmallProgram(bool runs, Console& console, IssueTest* test);

/// What the folder itself tells, without a run.
Issue IssueOf(const IssueTest& test, const std::string& output);

/// Adds modules, commands and scripts to the issue, and writes OUT.md and OUT.tar.gz.
Status WriteIssue(const IssueTest& test, const IssueRuns& runs, const std::string& output,
                  Issue* issue);

}  // namespace cli
}  // namespace refract
