// SPDX-License-Identifier: Apache-2.0
#include "target/time_limits.h"

#include <algorithm>

#include "base/text.h"

namespace refract {
inline namespace target {

double PairLimit(double given, double original_seconds) {
  const double most = TimeLimits::kTimesOriginal * given;
  if (original_seconds == 0) return most;
  return std::clamp(TimeLimits::kTimesOriginal * original_seconds, given, most);
}

bool IsFromTool(const Target& target, const RunResult& result) {
  return target.kind == Target::Kind::kCommand && result.target == target.name;
}

Job TimeLimits::WithMoreTime(const Job& job) const {
  Job longer = job;
  longer.time_limit = kTimesAgain * limit_;
  return longer;
}

RunResult TimeLimits::MarkSlowIfOk(RunResult result) const {
  if (result.verdict == RunOutcome::kOk) {
    result.verdict = RunOutcome::kSlow;
    result.detail = format("not finished within {} seconds; a second run took {:.1f} seconds",
                           limit_, result.seconds);
  }
  return result;
}

// The same cannot be said of a driver: it may use many threads, or wait for its device.
bool TimeLimits::ToolHadProcessor(const RunResult& result) const {
  return IsFromTool(target_, result) && result.cpu_seconds >= kShareOfBusy * result.seconds;
}

RunResult TimeLimits::Repeat(const Job& job, const RunResult& over) const {
  if (ToolHadProcessor(over)) {
    RunResult again = RepeatConcurrently(job);
    if (again.verdict != RunOutcome::kHang || ToolHadProcessor(again)) return again;
  }
  return MarkSlowIfOk(harness_.TryAlone(target_, WithMoreTime(job)));
}

RunResult TimeLimits::RepeatConcurrently(const Job& job) const {
  return MarkSlowIfOk(harness_.Try(target_, WithMoreTime(job)));
}

RunResult TimeLimits::ConfirmHang(const Job& job, const RunResult& over, int times,
                                  const std::function<bool()>& stop) const {
  RunResult result = Repeat(job, over);
  for (int i = 1; i < times && result.verdict == RunOutcome::kHang; ++i) {
    if (stop && stop()) break;
    result = RepeatConcurrently(job);
  }
  return result;
}

}  // namespace target
}  // namespace refract
