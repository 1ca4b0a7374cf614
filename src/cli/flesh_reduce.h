// SPDX-License-Identifier: Apache-2.0
// `refract flesh --reduce`: reduces a control-flow program that fails on a target.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/verb.h"
#include "flesh/spec.h"

namespace refract {
inline namespace cli {

/// The options of the reduction.
struct FleshReduction {
  std::string target;                     ///< a name of `refract targets`
  std::vector<std::string> target_files;  ///< descriptions of the user's own targets
  uint64_t time_limit = 10;               ///< seconds; a longer run is a hang
};

/// Returns kNotInteresting if the program computes the expected output on the target. Otherwise
/// writes a test folder of the smallest program that fails there in the same way. If interrupted,
/// writes the smallest program found so far.
Result<ExitCode> ReduceFleshed(const flesh::ProgramSpec& spec, const FleshReduction& asked,
                               const std::string& output, Console& console);

}  // namespace cli
}  // namespace refract
