// SPDX-License-Identifier: Apache-2.0
// Decides when the threads of a campaign may reduce while there are tests to run. Reductions can be
// stopped and continued, so they get slices of time. Finding goes first: reducing takes at most a
// third of each minute of all threads' time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace refract {
inline namespace campaign {

/// With three or more threads, a third of them may reduce all the time. With fewer threads, one of
/// them may reduce at the end of each minute. All times are seconds since the campaign began. Not
/// for several threads at once.
class ReducingTime {
 public:
  static constexpr double kMinute = 60;
  /// A reduction needs some seconds to continue, so a shorter slice is not worth it.
  static constexpr double kLeastSlice = 5;

  /// `jobs`: number of threads.
  explicit ReducingTime(uint32_t jobs);

  /// How many seconds a thread may reduce now, if `under_way` other threads reduce; 0: it may not.
  double Slice(double now, size_t under_way);
  /// Call it at the end of each slice. A slice that took longer than it should shortens later ones.
  void End(double begin, double now);

 private:
  // The seconds of each minute in which one thread may reduce.
  double PerMinute() const { return share_ * kMinute; }
  void PayDebt(double now);

  const size_t threads_;    // number of threads that may reduce at the same time
  const double share_;      // of the time of these threads
  double debt_ = 0;         // seconds that slices took too long
  double debt_minute_ = 0;  // the minute whose slice pays first
};

}  // namespace campaign
}  // namespace refract
