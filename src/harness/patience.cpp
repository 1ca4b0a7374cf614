// SPDX-License-Identifier: Apache-2.0
#include "harness/patience.h"

#include "base/text.h"

namespace refract {

RunResult Patience::Run(const Job& job) const {
  Job limited = job;
  limited.time_limit = limit_;
  RunResult result = harness_.Try(target_, limited);
  return result.verdict == RunVerdict::kHang ? RepeatAlone(job) : result;
}

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

RunResult Patience::ConfirmHang(const Job& job) const {
  RunResult result;
  for (int i = 0; i < kConfirmations; ++i) {
    result = RepeatAlone(job);
    if (result.verdict != RunVerdict::kHang) return result;
  }
  return result;
}

}  // namespace refract
