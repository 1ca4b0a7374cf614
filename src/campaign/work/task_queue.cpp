// SPDX-License-Identifier: Apache-2.0
#include "campaign/work/task_queue.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "campaign/retrying_runner.h"

namespace refract {
inline namespace campaign {

bool IsWaiting(KeptState state) {
  return state == KeptState::kFound || state == KeptState::kConfirmed;
}

bool operator<(const Task& a, const Task& b) {
  const auto order = [](const Task& task) {
    return std::tuple(task.TakesMinutes(), !task.first_of_bucket, -task.bucket.id, task.kept.test,
                      task.kept.id);
  };
  return order(a) < order(b);
}

bool IsReducible(const Bucket& bucket, const std::string& target) {
  return target != kRefractTarget && bucket.known.empty();
}

void TaskQueue::Add(Task task) {
  if (!IsWaiting(task.kept.state)) return;
  if (task.Reduces() && !IsReducible(task.bucket, task.kept.target)) return;
  tasks_.insert(std::move(task));
}

std::optional<Task> TaskQueue::Take(
    bool only_quick, const std::function<bool(const std::string& target)>& is_usable) {
  const auto found = std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& task) {
    return !(only_quick && task.TakesMinutes()) && is_usable(task.kept.target);
  });
  if (found == tasks_.end()) return std::nullopt;
  return std::move(tasks_.extract(found).value());
}

}  // namespace campaign
}  // namespace refract
