// SPDX-License-Identifier: Apache-2.0
// What a driver's answer, or the end of its process, is called.
#pragma once

#include "harness/protocol.h"
#include "harness/run.h"
#include "harness/worker_process.h"

namespace refract {

/// What a living worker answered, put into `result`.
RunResult ResultOf(Answer answer, RunResult result);

/// Buries a worker of which waiting for an answer to `job` came to `outcome`, no frame, and puts
/// how it ended into `result`.
RunResult BuryAndTell(WorkerProcess& worker, WorkerProcess::Outcome outcome, const Job& job,
                      RunResult result);

}  // namespace refract
