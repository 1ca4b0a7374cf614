// SPDX-License-Identifier: Apache-2.0
#include "target/worker_result.h"

#include <utility>

#include "base/text.h"
#include "crash/crash_report.h"
#include "driver/vulkan.h"
#include "signature/out_of_memory.h"

namespace refract {
inline namespace target {
namespace {

/// The verdict for the result of a Vulkan call that failed.
RunOutcome OutcomeOfVulkanResult(int32_t code) {
  switch (code) {
    case VK_ERROR_DEVICE_LOST:
      return RunOutcome::kDeviceLost;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
      return RunOutcome::kOutOfMemory;
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
      return RunOutcome::kUnsupported;
    default:
      return RunOutcome::kError;
  }
}

std::string_view OfStackOverflow(const RunResult& result) {
  return result.stack_overflow ? " (stack overflow)" : "";
}

}  // namespace

RunResult ResultFromAnswer(Answer answer, RunResult result) {
  result.outputs = std::move(answer.outputs);
  result.validation_messages = std::move(answer.validation_messages);
  if (answer.kind == Answer::Kind::kUnsupported) {
    result.verdict = RunOutcome::kUnsupported;
    result.detail = std::move(answer.reason);
  } else if (answer.kind == Answer::Kind::kFailed) {
    result.verdict = OutcomeOfVulkanResult(answer.code);
    result.vulkan_call = std::move(answer.call);
    result.vulkan_code = answer.code;
    result.detail = format("{} failed: {}", result.vulkan_call, VulkanResultName(answer.code));
  }
  return result;
}

RunResult EndWorkerAndReport(WorkerProcess& worker, WorkerProcess::WaitResult outcome,
                             const Job& job, RunResult result) {
  const WorkerProcess::ExitState exit_state =
      worker.Terminate(outcome != WorkerProcess::WaitResult::kDied);
  result.output = worker.Output();
  CrashReport report = FindCrashReport(result.output);
  if (outcome == WorkerProcess::WaitResult::kMemory) {
    result.verdict = RunOutcome::kOutOfMemory;
    result.detail = format("the driver used more than {} MiB of memory", job.memory_limit >> 20);
    return result;
  }
  result.backtrace = std::move(report.backtrace);
  result.stack_overflow = report.stack_overflow;
  if (outcome == WorkerProcess::WaitResult::kTimeout && report.signal == 0) {
    result.verdict = RunOutcome::kHang;
    result.detail = format("no answer within {:.6g} seconds", job.time_limit);
    return result;
  }
  result.verdict = RunOutcome::kCrash;
  result.signal = report.signal != 0 ? report.signal : exit_state.signal;
  result.exit_code = exit_state.exit_code;
  result.detail =
      result.signal != 0
          ? format("the driver died of {}{}", SignalName(result.signal), OfStackOverflow(result))
          : format("the driver left with exit code {}", exit_state.exit_code);
  if (ReportsOutOfMemory(result.output)) {
    result.verdict = RunOutcome::kOutOfMemory;
    result.detail += ", out of memory";
  }
  return result;
}

}  // namespace target
}  // namespace refract
