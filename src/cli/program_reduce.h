// SPDX-License-Identifier: Apache-2.0
// `refract flesh --reduce` and `refract generate --reduce`: reduce a program with known output that
// fails on a target.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/findings/failing_program.h"
#include "cli/console.h"
#include "cli/verb.h"

namespace refract {
inline namespace cli {

/// The options of the reduction.
struct ProgramReduction {
  std::string target;                     ///< a name of `refract targets`
  std::vector<std::string> target_files;  ///< descriptions of the user's own targets
  uint64_t time_limit = 10;               ///< seconds; a longer run is a hang
};

/// Returns kNotInteresting if the program computes the expected output on the target. Otherwise
/// calls `write` with the failing program and the smallest program that fails there in the same
/// way, and returns kFinding. If interrupted, the smallest program found so far. Fails if the
/// interpreter does not compute the expected output, or with the error of `write`.
Result<ExitCode> ReduceOnTarget(
    const TestProgram& program, const ProgramReduction& asked,
    const std::function<Status(const FailingProgram&, const ReducedTestProgram&, Harness&)>& write,
    Console& console);

}  // namespace cli
}  // namespace refract
