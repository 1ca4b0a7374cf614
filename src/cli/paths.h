// SPDX-License-Identifier: Apache-2.0
// What every verb asks of the paths it is given before it begins to work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract::inline cli {

/// Refuses to read two of `inputs` from standard input ("-"), which can be read once.
Status CheckOneStandardInput(const std::vector<std::string>& inputs);

/// Refuses an output that is one of the inputs, by whatever path: it would be overwritten.
Status CheckKeepsInputs(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs);

/// Refuses to mix an output on standard output with `data` that goes there too, if `has_data`.
Status CheckStandardOutput(const std::string& output, bool has_data, std::string_view data);

}  // namespace refract::inline cli
