// SPDX-License-Identifier: Apache-2.0
// A point in time at which work must end. The work asks for it now and then. A clock may only
// decide how far a computation gets, never the content of an output that must be reproducible.
#pragma once

#include <atomic>
#include <limits>

#include "base/clock.h"

namespace refract {
inline namespace base {

/// Passes at a given time, or when a flag is set. By default it never passes. All copies pass
/// together.
class Deadline {
 public:
  Deadline() = default;
  /// A deadline `seconds` from now; with 0, it has no time. It also passes when `*stop` becomes
  /// true. `stop` may be null; it must outlive the deadline and all its copies.
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
  /// The seconds until the deadline: 0 if it has passed, infinity if it never passes at a time.
  double Left() const {
    if (HasPassed()) return 0;
    return at_ == kNever ? kNever : at_ - MonotonicSeconds();
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  double at_ = kNever;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace base
}  // namespace refract
