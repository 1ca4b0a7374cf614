// SPDX-License-Identifier: Apache-2.0
#include "harness/patience.h"

#include "base/text.h"

namespace refract {

RunResult Patience::RepeatAlone(const Job& job) const {
  Job limited = job;
  limited.time_limit = kTimesAlone * limit_;
  RunResult result = harness_.TryAlone(target_, limited);
  if (result.verdict == RunVerdict::kOk) {
    result.verdict = RunVerdict::kSlow;
    result.detail = format("not done within {} seconds beside others; alone it takes {:.1f}",
                           limit_, result.seconds);
  }
  return result;
}

RunResult Patience::ConfirmHang(const Job& job, int times,
                                const std::function<bool()>& stop) const {
  RunResult result = RepeatAlone(job);
  for (int i = 1; i < times && result.verdict == RunVerdict::kHang; ++i) {
    if (stop && stop()) break;
    result = RepeatAlone(job);
  }
  return result;
}

}  // namespace refract
