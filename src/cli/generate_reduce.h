// SPDX-License-Identifier: Apache-2.0
// `refract generate --reduce`: reduces a generated program that fails on a target.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/verb.h"
#include "generate/reduce_recipe.h"

namespace refract {
inline namespace cli {

/// The options of the reduction.
struct GenerateReduction {
  std::string target;                     ///< a name of `refract targets`
  std::vector<std::string> target_files;  ///< descriptions of the user's own targets
  uint64_t time_limit = 10;               ///< seconds; a longer run is a hang
};

/// Returns nullopt if the program computes the expected output on the target. Otherwise the
/// smallest program that fails there in the same way; if interrupted, the smallest found so far.
Result<std::optional<generate::ReducedRecipe>> ReduceGenerated(
    const generate::ProgramRecipe& recipe, const GenerateReduction& asked, Console& console);

}  // namespace cli
}  // namespace refract
