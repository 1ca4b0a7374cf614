// SPDX-License-Identifier: Apache-2.0
// Reduced tests of real bugs whose causes are known, without their modules: what dedup compares,
// the cause, and how the cause was decided. A file has a JSON object for each test, one on each
// line.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "dedup/failing_tests.h"

namespace refract::measure {

struct DecidedTest {
  DedupTest test;
  std::string bug;      ///< the name of its cause, such as the name of a test in tests/bugs/
  std::string decided;  ///< how the cause was decided: "newer: ...", "patch: ...", "condition: ..."
};

/// Reads a file of WriteDecided. An error names file and line.
Result<std::vector<DecidedTest>> ReadDecided(const std::string& file);

/// Returns the text of such a file, ordered by bug and path.
std::string WriteDecided(std::vector<DecidedTest> tests);

/// Reads test folders below `folder`. `decisions` is a file with a line for each of them: path
/// below `folder`, bug and how it was decided, separated by tabs. Folders without a line are left
/// out.
Result<std::vector<DecidedTest>> DecidedTestsIn(const std::string& folder,
                                                const std::string& decisions);

}  // namespace refract::measure
