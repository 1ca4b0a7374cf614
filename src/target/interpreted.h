// SPDX-License-Identifier: Apache-2.0
// The target `interp`: the reference interpreter in place of a driver.
#pragma once

#include "base/result.h"
#include "driver/run.h"

namespace refract::inline target {

/// Undefined behaviour is verdict undefined_behaviour, a limit reached (Job::time_limit, or of
/// steps or memory) is a hang, what cannot be interpreted is unsupported; the detail names the
/// instruction.
Result<RunResult> RunInterpreted(const Job& job);

}  // namespace refract::inline target
