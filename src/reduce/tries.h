// SPDX-License-Identifier: Apache-2.0
// Several tries at a time: threads that ask the judge.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "reduce/judge.h"

namespace refract {

/// A candidate on its way to an answer.
struct Try {
  Candidate candidate;
  std::string hash;  ///< of module and inputs
  enum class State : uint8_t { kReady, kUnderWay, kDone } state = State::kReady;
  std::optional<Result<bool>> answer;  ///< once it is done; before that only Tries looks at it
};
using TryPointer = std::shared_ptr<Try>;

/// Processor time of the calling thread so far.
double OwnSeconds();

class Tries {
 public:
  /// `own_begin`: OwnSeconds() from which on own_seconds counts. All but the judge's work is done
  /// in the thread that makes this.
  Tries(Judge& judge, uint32_t jobs, double own_begin)
      : judge_(judge), jobs_(jobs), own_mark_(own_begin) {}
  ~Tries() { End(); }
  Tries(const Tries&) = delete;
  Tries& operator=(const Tries&) = delete;

  bool HasRoom() const { return under_way_ < jobs_; }
  /// Requires HasRoom().
  void Start(const TryPointer& one);
  /// Those that have been answered since, which may be none; waits up to so many seconds for one.
  std::vector<TryPointer> Finished(double seconds);

  /// Waits for what the judge is at; what it has not been asked yet it never will be. Requires that
  /// nothing is started from then on.
  void End();

  /// Times the judge was asked: before End() one may be added at any moment.
  size_t judged();
  /// In which at least one try was under way.
  double busy_seconds();
  /// Processor time of this thread while nothing was under way, and what it took beyond the tries
  /// that were: what nobody could do in the meantime, however busy the machine is.
  double own_seconds();

 private:
  void Work();

  Judge& judge_;
  const uint32_t jobs_;
  uint32_t under_way_ = 0;  // started, and not given back by Finished
  std::vector<std::thread> threads_;
  double own_seconds_ = 0, own_mark_, busy_mark_ = 0;

  std::mutex mutex_;  // for what follows
  std::condition_variable work_, done_;
  std::deque<TryPointer> waiting_;
  std::vector<TryPointer> finished_;
  size_t judged_ = 0;
  uint32_t judging_ = 0;
  double busy_since_ = 0, busy_seconds_ = 0;
  bool over_ = false;
};

}  // namespace refract
