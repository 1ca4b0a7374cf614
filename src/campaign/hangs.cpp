// SPDX-License-Identifier: Apache-2.0
#include "campaign/hangs.h"

#include <algorithm>

#include "base/clock.h"
#include "target/patience.h"

namespace refract {
inline namespace campaign {

Hangs::Hangs(uint32_t jobs, std::vector<std::string> targets)
    : jobs_(std::max(jobs, 1u)), targets_(std::move(targets)), begin_(MonotonicSeconds()) {}

void Hangs::Remember(const std::string& signature, uint64_t tests) {
  const std::lock_guard<std::mutex> lock(mutex_);
  tests_[signature] = tests;
}

int Hangs::Confirmations(const std::string& signature) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t known = tests_[signature];
  const uint64_t others = looked_at_[signature]++;
  if (known == 0 && others == 0) return Patience::kConfirmations;
  return known < kClosely ? 1 : 0;
}

void Hangs::Add(const std::string& target, const std::string& signature, double beside,
                double alone, bool hung) {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t& looked_at = looked_at_[signature];
  if (looked_at > 0) --looked_at;
  if (hung && tests_[signature]++ < kClosely) return;
  spent_[target] += beside + jobs_ * alone;
}

bool Hangs::IsOver(const std::string& target) const {
  const auto spent = spent_.find(target);
  if (spent == spent_.end()) return false;
  const double share = kShare * jobs_ * (MonotonicSeconds() - begin_);
  return spent->second > std::max(share, kGrace);
}

bool Hangs::Allows(const std::string& target) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!IsOver(target)) return true;
  const auto is_over = [&](const std::string& other) { return IsOver(other); };
  if (std::all_of(targets_.begin(), targets_.end(), is_over)) return true;
  ++passed_over_[target];
  return false;
}

std::map<std::string, uint64_t> Hangs::PassedOver() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return passed_over_;
}

}  // namespace campaign
}  // namespace refract
