// SPDX-License-Identifier: Apache-2.0
// Lets jobs run at the same time, or one job alone.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace refract {
inline namespace target {

/// Several threads may use it at the same time. A job that waits to run alone goes before all jobs
/// that come later.
class JobGate {
 public:
  /// A job is under way as long as its RunningJob exists.
  class RunningJob {
   public:
    RunningJob(JobGate& gate, bool alone);
    ~RunningJob();
    RunningJob(const RunningJob&) = delete;
    RunningJob& operator=(const RunningJob&) = delete;

   private:
    JobGate& gate_;
    const bool alone_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint32_t running_ = 0;        // jobs under way
  uint32_t waiting_alone_ = 0;  // jobs that are to run alone
  bool alone_ = false;          // the job under way runs alone
};

}  // namespace target
}  // namespace refract
