// SPDX-License-Identifier: Apache-2.0
#include "target/job_gate.h"

namespace refract {
inline namespace target {

JobGate::RunningJob::RunningJob(JobGate& gate, bool alone) : gate_(gate), alone_(alone) {
  std::unique_lock lock(gate.mutex_);
  if (alone) {
    ++gate.waiting_alone_;
    gate.changed_.wait(lock, [&] { return gate.running_ == 0; });
    --gate.waiting_alone_;
  } else {
    gate.changed_.wait(lock, [&] { return !gate.alone_ && gate.waiting_alone_ == 0; });
  }
  gate.alone_ = alone;
  ++gate.running_;
}

JobGate::RunningJob::~RunningJob() {
  {
    const std::lock_guard lock(gate_.mutex_);
    --gate_.running_;
    if (alone_) gate_.alone_ = false;
  }
  gate_.changed_.notify_all();
}

}  // namespace target
}  // namespace refract
