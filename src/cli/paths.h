// SPDX-License-Identifier: Apache-2.0
// Checks of the given paths that verbs make before they begin to work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace cli {

/// Refuses if two of `inputs` are standard input ("-"), which can be read only once.
Status CheckOneStandardInput(const std::vector<std::string>& inputs);

/// Refuses an output that is the same file as an input, because the input would be overwritten.
Status CheckKeepsInputs(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs);

/// Refuses a folder for a new test that exists and has files, such as an earlier test.
Status CheckNewFolder(const std::string& folder);

/// Refuses an output on standard output if `has_data`, because `data` is written there too.
Status CheckStandardOutput(const std::string& output, bool has_data, std::string_view data);

}  // namespace cli
}  // namespace refract
