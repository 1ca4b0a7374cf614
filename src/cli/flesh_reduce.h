// SPDX-License-Identifier: Apache-2.0
// `refract flesh --reduce`: a program that fails on a target made smaller.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/verb.h"
#include "flesh/recipe.h"

namespace refract::inline cli {

/// What is asked for.
struct FleshReduction {
  std::string target;                     ///< a name of `refract targets`
  std::vector<std::string> target_files;  ///< descriptions of the user's own
  uint64_t time_limit = 10;               ///< seconds until a run counts as hung
};

/// kNotInteresting if the program does as it should on the target, else a test folder of the
/// smallest one that fails there alike. Interrupted it writes the smallest so far.
Result<ExitCode> ReduceFleshed(const flesh::Recipe& recipe, const FleshReduction& asked,
                               const std::string& output, Console& console);

}  // namespace refract::inline cli
