// SPDX-License-Identifier: Apache-2.0
// The judgement of an original, asked for by many commands and every campaign: what took long is
// kept in the user's cache (base/cache.h).
#pragma once

#include <string>
#include <vector>

#include "base/cache.h"
#include "target/judge.h"
#include "driver/run.h"

namespace refract::inline target {

/// Decodes and judges `job`, which is `module` (that `file` is called in errors) with its entry
/// point and bindings. What is kept of a sample is not asked for again with the same or less time;
/// with more time it is, and the larger sample is kept. A judgement that was kept is as it was
/// made, but without RunReport::trap, blocks and uniform. Errors as of Program::Decode and
/// JudgeProgram.
Result<Judgement> JudgeJob(const Module& module, const Job& job,
                           const std::vector<BufferLayout>& layouts, const std::string& file,
                           const JudgeOptions& options,
                           const Cache& cache = Cache::OfUser("judgements"));

}  // namespace refract::inline target
