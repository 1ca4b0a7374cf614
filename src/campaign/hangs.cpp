// SPDX-License-Identifier: Apache-2.0
#include "campaign/hangs.h"

#include <algorithm>

#include "base/clock.h"
#include "target/time_limits.h"

namespace refract {
inline namespace campaign {

Hangs::Hangs(uint32_t jobs, std::vector<std::string> targets)
    : jobs_(std::max(jobs, 1u)), targets_(std::move(targets)), begin_(MonotonicSeconds()) {}

void Hangs::AddEarlierTests(const std::string& signature, uint64_t tests) {
  const std::lock_guard<std::mutex> lock(mutex_);
  tests_[signature] = tests;
}

int Hangs::RunsToConfirm(const std::string& signature) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t known = tests_[signature];
  const uint64_t others = confirming_[signature]++;
  if (known == 0 && others == 0) return TimeLimits::kConfirmations;
  return known < kConfirmedTests ? 1 : 0;
}

void Hangs::Add(const std::string& target, const std::string& signature, double shared_seconds,
                double alone_seconds, bool hung) {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t& confirming = confirming_[signature];
  if (confirming > 0) --confirming;
  if (hung && tests_[signature]++ < kConfirmedTests) return;
  seconds_[target] += shared_seconds + jobs_ * alone_seconds;
}

bool Hangs::IsOverShare(const std::string& target) const {
  const auto spent = seconds_.find(target);
  if (spent == seconds_.end()) return false;
  const double share = kMaxShare * jobs_ * (MonotonicSeconds() - begin_);
  return spent->second > std::max(share, kMinSeconds);
}

bool Hangs::MustSkip(const std::string& target) const {
  if (!IsOverShare(target)) return false;
  const auto is_over = [&](const std::string& other) { return IsOverShare(other); };
  return !std::all_of(targets_.begin(), targets_.end(), is_over);
}

bool Hangs::Allows(const std::string& target) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!MustSkip(target)) return true;
  ++skipped_[target];
  return false;
}

bool Hangs::IsSkipped(const std::string& target) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return MustSkip(target);
}

std::map<std::string, uint64_t> Hangs::SkippedTests() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return skipped_;
}

}  // namespace campaign
}  // namespace refract
