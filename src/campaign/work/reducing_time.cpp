// SPDX-License-Identifier: Apache-2.0
#include "campaign/work/reducing_time.h"

#include <algorithm>
#include <cmath>

namespace refract {
inline namespace campaign {
namespace {

double MinuteOf(double now) {
  return std::floor(now / ReducingTime::kMinute);
}

}  // namespace

ReducingTime::ReducingTime(uint32_t jobs)
    : threads_(std::max<size_t>(jobs / 3, 1)),
      share_(std::min(
          1.0, static_cast<double>(std::max(jobs, 1u)) / (3 * static_cast<double>(threads_)))) {}

void ReducingTime::PayDebt(double now) {
  for (; debt_ > 0 && debt_minute_ < MinuteOf(now); ++debt_minute_) debt_ -= PerMinute();
  debt_ = std::max(debt_, 0.0);
}

double ReducingTime::Slice(double now, size_t under_way) {
  if (under_way >= threads_) return 0;
  if (share_ == 1) return kMinute;
  PayDebt(now);
  const double begin = kMinute - PerMinute() + debt_;
  const double at = now - kMinute * MinuteOf(now);
  const double left = kMinute - at;
  return at >= begin && left >= kLeastSlice ? left : 0;
}

void ReducingTime::End(double begin, double now) {
  if (share_ == 1) return;
  const double over = now - kMinute * (MinuteOf(begin) + 1);
  if (over <= 0) return;
  PayDebt(now);
  if (debt_ == 0) debt_minute_ = MinuteOf(begin) + 1;
  debt_ += over;
  PayDebt(now);
}

}  // namespace campaign
}  // namespace refract
