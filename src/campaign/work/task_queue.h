// SPDX-License-Identifier: Apache-2.0
// The kept tests of a campaign that wait to be confirmed or reduced, and their order: quick
// confirmations first, then the newest bucket.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "campaign/store/store.h"

namespace refract {
inline namespace campaign {

/// A kept test that waits to be confirmed or reduced.
struct Task {
  Bucket bucket;
  KeptTest kept;
  bool first_of_bucket = false;  ///< the first kept test of its bucket

  bool Reduces() const { return kept.state != KeptState::kFound; }
  /// Confirming a hang takes minutes, like a reduction.
  bool TakesMinutes() const { return Reduces() || bucket.verdict == FailureClass::kHang; }
};
/// The order of tasks: quick confirmations, then the first test of each bucket, newest bucket
/// first, then by test number.
bool operator<(const Task& a, const Task& b);

/// Whether a test of this state waits to be confirmed or reduced.
bool IsWaiting(KeptState state);

/// Whether a campaign reduces the tests of a bucket that fail on `target`. It does not reduce
/// faults of Refract (`refract fuzz --self-check` is the tool for that), and a known issue has a
/// reduced test already.
bool IsReducible(const Bucket& bucket, const std::string& target);

/// Not for several threads at once.
class TaskQueue {
 public:
  /// Does nothing if the state of the test, or IsReducible, says that nothing is left to do.
  void Add(Task task);
  /// Takes the first task whose target is usable. With `only_quick`, leaves those that take
  /// minutes.
  std::optional<Task> Take(bool only_quick,
                           const std::function<bool(const std::string& target)>& is_usable);
  bool empty() const { return tasks_.empty(); }
  size_t size() const { return tasks_.size(); }

 private:
  std::set<Task> tasks_;
};

}  // namespace campaign
}  // namespace refract
