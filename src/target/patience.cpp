// SPDX-License-Identifier: Apache-2.0
#include "target/patience.h"

#include <algorithm>

#include "base/text.h"

namespace refract {
inline namespace target {

double PairLimit(double given, double original_seconds) {
  const double most = Patience::kTimesOriginal * given;
  if (original_seconds == 0) return most;
  return std::clamp(Patience::kTimesOriginal * original_seconds, given, most);
}

Job Patience::WithMoreTime(const Job& job) const {
  Job longer = job;
  longer.time_limit = kTimesAlone * limit_;
  return longer;
}

RunResult Patience::Judged(RunResult result) const {
  if (result.verdict == RunVerdict::kOk) {
    result.verdict = RunVerdict::kSlow;
    result.detail = format("not finished within {} seconds; a second run took {:.1f} seconds",
                           limit_, result.seconds);
  }
  return result;
}

RunResult Patience::RepeatAlone(const Job& job) const {
  return Judged(harness_.TryAlone(target_, WithMoreTime(job)));
}

RunResult Patience::RepeatBeside(const Job& job) const {
  return Judged(harness_.Try(target_, WithMoreTime(job)));
}

RunResult Patience::ConfirmHang(const Job& job, int times,
                                const std::function<bool()>& stop) const {
  RunResult result = RepeatAlone(job);
  for (int i = 1; i < times && result.verdict == RunVerdict::kHang; ++i) {
    if (stop && stop()) break;
    result = RepeatBeside(job);
  }
  return result;
}

}  // namespace target
}  // namespace refract
