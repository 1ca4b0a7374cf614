// SPDX-License-Identifier: Apache-2.0
#include "reduce/tries.h"

#include <time.h>

#include <algorithm>
#include <chrono>

#include "base/check.h"
#include "base/clock.h"

namespace refract {

double OwnSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

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
  if (under_way_ == 0) {
    own_seconds_ = own_seconds();
    own_mark_ = OwnSeconds();
    busy_mark_ = busy_seconds();
  }
  ++under_way_;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(one);
    if (judging_++ == 0) busy_since_ = MonotonicSeconds();
  }
  if (threads_.size() < under_way_) threads_.emplace_back([this] { Work(); });
  work_.notify_one();
}

std::vector<TryPointer> Tries::Finished(double seconds) {
  std::vector<TryPointer> finished;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait_for(lock, std::chrono::duration<double>(seconds),
                   [&] { return !finished_.empty(); });
    finished.swap(finished_);
  }
  for (const TryPointer& one : finished) one->state = Try::State::kDone;
  under_way_ -= static_cast<uint32_t>(finished.size());
  if (!finished.empty() && under_way_ == 0) {
    const double now = OwnSeconds();
    own_seconds_ += std::max(0.0, now - own_mark_ - (busy_seconds() - busy_mark_));
    own_mark_ = now;
  }
  return finished;
}

size_t Tries::judged() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return judged_;
}

double Tries::own_seconds() {
  return own_seconds_ + (under_way_ == 0 ? OwnSeconds() - own_mark_ : 0);
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
    const TryPointer one = std::move(waiting_.front());
    waiting_.pop_front();
    ++judged_;
    lock.unlock();
    Result<bool> answer = judge_.IsInteresting(one->candidate);
    lock.lock();
    one->answer = std::move(answer);
    finished_.push_back(one);
    if (--judging_ == 0) busy_seconds_ += MonotonicSeconds() - busy_since_;
    done_.notify_one();
  }
}

}  // namespace refract
