// SPDX-License-Identifier: Apache-2.0
// The tests of `refract coverage`: modules in files, in folders, and in test folders.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "driver/run.h"

namespace refract {
inline namespace cli {

/// The modules under the paths, each once, in the order of the paths and then of their names. Of a
/// test folder (one with a test.json), only the failing module counts: that of the smallest
/// recording, or the original if there is no variant.
Result<std::vector<std::string>> ListCoverageTests(const std::vector<std::string>& paths);

/// The entry point that runs if a module has several.
inline constexpr char kUsualEntry[] = "main";

/// The job of a test, with the inputs of the .json file next to the module, if there is one.
/// Missing inputs are zero.
Result<Job> LoadCoverageTest(const std::string& file, uint64_t time_limit, Console& console);

}  // namespace cli
}  // namespace refract
