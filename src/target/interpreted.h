// SPDX-License-Identifier: Apache-2.0
// The target `interp`: the reference interpreter in place of a driver.
#pragma once

#include <atomic>

#include "base/result.h"
#include "driver/run.h"

namespace refract {
inline namespace target {

/// Interprets `job`. Undefined behaviour gives the verdict kUndefined. A limit that is reached
/// (Job::time_limit, steps, memory) is a hang. A module that cannot be interpreted is unsupported.
/// `detail` names the instruction. Once `*stop` is true, the run ends as at its time limit; `stop`
/// may be null.
Result<RunResult> RunInterpreted(const Job& job, const std::atomic<bool>* stop = nullptr);

}  // namespace target
}  // namespace refract
