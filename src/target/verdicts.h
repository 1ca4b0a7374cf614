// SPDX-License-Identifier: Apache-2.0
// What a driver's answer, or the end of its process, is called.
#pragma once

#include "driver/protocol.h"
#include "driver/run.h"
#include "target/worker_process.h"

namespace refract::inline target {

/// What a living worker answered, put into `result`.
RunResult ResultOf(Answer answer, RunResult result);

/// Buries a worker of which waiting for an answer to `job` came to `outcome`, no frame, and puts
/// how it ended into `result`.
RunResult BuryAndTell(WorkerProcess& worker, WorkerProcess::Outcome outcome, const Job& job,
                      RunResult result);

}  // namespace refract::inline target
