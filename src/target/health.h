// SPDX-License-Identifier: Apache-2.0
// The health check of a driver. After a hang or a lost device a graphics card may stay stuck for
// all programs, so its results count only after it ran a module that every driver can run.
#pragma once

#include <string>

#include "driver/run.h"

namespace refract {
inline namespace target {

/// A module with inputs that every implementation of Vulkan 1.0 can run. The colour of each pixel
/// of its image tells the column and the row.
Job HealthJob();

/// What is wrong with the result of that job, as a text; empty if nothing is. With `pipeline_only`
/// there is no image to check.
std::string HealthProblem(const RunResult& result, bool pipeline_only);

}  // namespace target
}  // namespace refract
