// SPDX-License-Identifier: Apache-2.0
// Runs the tools of a command target on one module, one process after the other in a folder of
// their own, and validates every module that they make.
#pragma once

#include <atomic>

#include "base/result.h"
#include "driver/run.h"
#include "target/command_target.h"

namespace refract {
inline namespace target {

/// The environment for which the outputs of tools are validated: job.environment or, without one,
/// an environment of the module's SPIR-V version in which the module is valid.
TargetEnvironment EnvironmentOf(const Job& job);

/// The values of the placeholders for this job in `environment`, except {in} and {out}.
Result<Placeholders> PlaceholdersOf(const CommandTarget& target, const Job& job,
                                    TargetEnvironment environment);

/// Runs the commands on job.spirv. With the verdict kOk, result.spirv is their output, which is
/// valid. Otherwise the result has the command that failed, how it failed, and its messages. An
/// Error means that the commands could not be run: kUnavailable if the module does not meet the
/// requirements of a pass. Draws nothing; Harness::Run does that. Once `*stop` is true, the command
/// under way is killed, and the result is not meaningful; `stop` may be null.
Result<RunResult> RunCommands(const CommandTarget& target, const Job& job,
                              const std::atomic<bool>* stop = nullptr);

/// `job` with the output of the tools as its module. Translation to a language and back may change
/// the name of the entry point.
Job DrawingJob(const Job& job, std::vector<uint32_t> spirv);

}  // namespace target
}  // namespace refract
