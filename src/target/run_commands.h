// SPDX-License-Identifier: Apache-2.0
// The tools of a command target at work on one module: one process after the other in a folder of
// their own, and the validator on every module they make.
#pragma once

#include "base/result.h"
#include "target/command_target.h"
#include "driver/run.h"

namespace refract::inline target {

/// What the outputs of tools are validated for: job.environment or, without one, the environment of
/// the module's version that takes the module.
TargetEnvironment EnvironmentOf(const Job& job);

/// Runs the commands on job.spirv. kOk: result.spirv is what they made, and it is valid; else the
/// result says which command failed and how, and keeps what it said. An Error means that they could
/// not be run at all: kUnavailable where a pass of the target needs what the module lacks. Draws
/// nothing: Harness::Run does that.
Result<RunResult> RunCommands(const CommandTarget& target, const Job& job);

/// `job` with what tools made of its module. A round trip through a language may leave the entry
/// point under another name.
Job DrawingJob(const Job& job, std::vector<uint32_t> spirv);

}  // namespace refract::inline target
