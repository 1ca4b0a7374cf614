// SPDX-License-Identifier: Apache-2.0
#include "reduce/tries.h"

#include <chrono>
#include <utility>

#include "base/check.h"
#include "base/clock.h"

namespace refract {
inline namespace reduce {

void Tries::End() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
    waiting_.clear();
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Tries::Start(const TryPointer& one) {
  CHECK(HasRoom() && one->state == Try::State::kReady);
  one->state = Try::State::kUnderWay;
  ++under_way_;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(one);
    if (judging_++ == 0) busy_since_ = MonotonicSeconds();
  }
  if (threads_.size() < under_way_) threads_.emplace_back([this] { Work(); });
  work_.notify_one();
}

void Tries::StartBehind(const TryPointer& one, bool answer, const TryPointer& next) {
  CHECK(jobs_ == 1);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!one->answer) one->behind[answer ? 1 : 0] = next;
}

std::vector<TryPointer> Tries::Finished(double seconds) {
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

size_t Tries::judged() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return judged_;
}

double Tries::busy_seconds() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return busy_seconds_ + (judging_ > 0 ? MonotonicSeconds() - busy_since_ : 0);
}

void Tries::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    TryPointer one = std::move(waiting_.front());
    waiting_.pop_front();
    while (one != nullptr) {
      ++judged_;
      lock.unlock();
      Result<bool> answer = judge_.IsInteresting(one->candidate);
      Status recorded = answer ? record_(one->hash, *answer) : Status();
      lock.lock();
      one->answer = std::move(answer);
      one->recorded = std::move(recorded);
      const auto behind = std::exchange(one->behind, {});
      if (*one->answer && one->recorded && !over_) one->followed_by = behind[**one->answer ? 1 : 0];
      finished_.push_back(one);
      one = one->followed_by;
      if (one == nullptr && --judging_ == 0) busy_seconds_ += MonotonicSeconds() - busy_since_;
      done_.notify_one();
    }
  }
}

}  // namespace reduce
}  // namespace refract
