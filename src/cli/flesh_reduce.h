// SPDX-License-Identifier: Apache-2.0
// `refract flesh --reduce`: a program that fails on a target made smaller.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/verb.h"
#include "flesh/recipe.h"

namespace refract {

/// kNotInteresting if the program does as it should on the target, else a test folder of the
/// smallest one that fails there alike. Interrupted it writes the smallest so far.
Result<ExitCode> ReduceFleshed(const flesh::Recipe& recipe, const std::string& target,
                               const std::vector<std::string>& target_files,
                               const std::string& output, Console& console);

}  // namespace refract
