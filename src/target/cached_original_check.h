// SPDX-License-Identifier: Apache-2.0
// Evaluates originals with the interpreter, and keeps results that took long in the user's cache
// (base/cache.h), because many commands and every campaign need them.
#pragma once

#include <string>
#include <vector>

#include "base/cache.h"
#include "driver/run.h"
#include "target/original_check.h"

namespace refract {
inline namespace target {

/// Decodes and evaluates `job`, whose module is `module`; `file` names it in errors. A cached
/// check of a sample is used if this call has the same or less time. With more time the job is
/// evaluated again, and the larger sample is cached. A cached check is as it was made, but
/// without RunReport::trap, blocks and uniform. Errors are those of Program::Decode and
/// CheckOriginalProgram.
Result<OriginalCheck> CheckOriginalJob(const Module& module, const Job& job,
                                       const std::vector<BufferLayout>& layouts,
                                       const std::string& file, const OriginalCheckOptions& options,
                                       const Cache& cache = Cache::OfUser("judgements"));

}  // namespace target
}  // namespace refract
