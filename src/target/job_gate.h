// SPDX-License-Identifier: Apache-2.0
// Lets jobs run beside one another, or one alone.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace refract::inline target {

/// Threads may use it at once. Who waits to be alone goes before all who come later.
class JobGate {
 public:
  /// As long as it exists a job is under way.
  class Pass {
   public:
    Pass(JobGate& gate, bool alone);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    JobGate& gate_;
    const bool alone_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint32_t running_ = 0;        // jobs
  uint32_t waiting_alone_ = 0;  // jobs that are to run alone
  bool alone_ = false;          // the one that runs is
};

}  // namespace refract::inline target
