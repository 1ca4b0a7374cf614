// SPDX-License-Identifier: Apache-2.0
// Turns a worker's answer, or the end of its process, into a result.
#pragma once

#include "driver/protocol.h"
#include "driver/run.h"
#include "target/worker_process.h"

namespace refract {
inline namespace target {

/// Adds the answer of a worker to `result`.
RunResult ResultFromAnswer(Answer answer, RunResult result);

/// Ends a worker that gave no answer to `job` (`outcome` tells why, and is not kFrame), and adds
/// how it ended to `result`.
RunResult EndWorkerAndReport(WorkerProcess& worker, WorkerProcess::WaitResult outcome,
                             const Job& job, RunResult result);

}  // namespace target
}  // namespace refract
