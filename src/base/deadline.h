// SPDX-License-Identifier: Apache-2.0
// When work has to end, for those who do it and look at the clock now and then. A clock may only
// decide how far something went, never what is written as reproducible.
#pragma once

#include <atomic>
#include <limits>

#include "base/clock.h"

namespace refract::inline base {

/// At a time, or when somebody says so. By default never. Copies end together.
class Deadline {
 public:
  Deadline() = default;
  /// So many seconds from now; 0: never. `stop`, if not null, ends it once it is true and must
  /// outlive this and all copies.
  static Deadline In(double seconds, const std::atomic<bool>* stop = nullptr) {
    Deadline made;
    if (seconds > 0) made.at_ = MonotonicSeconds() + seconds;
    made.stop_ = stop;
    return made;
  }

  bool is_never() const { return stop_ == nullptr && at_ == kNever; }
  bool HasPassed() const {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) return true;
    return at_ != kNever && MonotonicSeconds() >= at_;
  }
  /// Seconds that are left, 0 if it has passed; infinite if it never does.
  double Left() const {
    if (HasPassed()) return 0;
    return at_ == kNever ? kNever : at_ - MonotonicSeconds();
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  double at_ = kNever;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace refract::inline base
