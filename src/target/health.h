// SPDX-License-Identifier: Apache-2.0
// After a hang or a lost device nothing that a driver says can be trusted before it has shown that
// it still does what it always could: a graphics card may stay stuck for all who use it.
#pragma once

#include <string>

#include "driver/run.h"

namespace refract::inline target {

/// A module and inputs that every implementation of Vulkan 1.0 can run: a picture whose columns and
/// rows are told by its colours.
Job HealthJob();

/// What is wrong with what came of that job, in words; empty if nothing is. Of `pipeline_only`
/// there is no picture.
std::string HealthProblem(const RunResult& result, bool pipeline_only);

}  // namespace refract::inline target
