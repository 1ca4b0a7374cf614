// SPDX-License-Identifier: Apache-2.0
#include "reduce/tries.h"

#include <chrono>
#include <utility>

#include "base/check.h"
#include "base/clock.h"

namespace refract {
inline namespace reduce {

void TryRunner::End() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
    waiting_.clear();
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void TryRunner::Start(const TryPointer& one) {
  CHECK(HasFreeJob() && one->state == Try::State::kReady);
  one->state = Try::State::kUnderWay;
  ++under_way_;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(one);
    if (running_++ == 0) busy_since_ = MonotonicSeconds();
  }
  if (threads_.size() < under_way_) threads_.emplace_back([this] { Work(); });
  work_.notify_one();
}

void TryRunner::StartAfter(const TryPointer& one, bool answer, const TryPointer& next) {
  CHECK(jobs_ == 1);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!one->answer) one->next_by_answer[answer ? 1 : 0] = next;
}

std::vector<TryPointer> TryRunner::Finished(double seconds) {
  std::vector<TryPointer> finished;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait_for(lock, std::chrono::duration<double>(seconds),
                   [&] { return !finished_.empty(); });
    finished.swap(finished_);
  }
  for (const TryPointer& one : finished) {
    one->state = Try::State::kDone;
    --under_way_;
    if (const TryPointer next = std::exchange(one->followed_by, nullptr)) {
      next->state = Try::State::kUnderWay;
      ++under_way_;
    }
  }
  return finished;
}

size_t TryRunner::judged() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return judged_;
}

double TryRunner::busy_seconds() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return busy_seconds_ + (running_ > 0 ? MonotonicSeconds() - busy_since_ : 0);
}

void TryRunner::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    TryPointer one = std::move(waiting_.front());
    waiting_.pop_front();
    while (one != nullptr) {
      ++judged_;
      lock.unlock();
      Result<bool> answer = test_.IsInteresting(one->candidate);
      Status recorded = answer ? record_(one->hash, *answer) : Status();
      lock.lock();
      one->answer = std::move(answer);
      one->recorded = std::move(recorded);
      const auto next_by_answer = std::exchange(one->next_by_answer, {});
      if (*one->answer && one->recorded && !over_)
        one->followed_by = next_by_answer[**one->answer ? 1 : 0];
      finished_.push_back(one);
      one = one->followed_by;
      if (one == nullptr && --running_ == 0) busy_seconds_ += MonotonicSeconds() - busy_since_;
      done_.notify_one();
    }
  }
}

}  // namespace reduce
}  // namespace refract
