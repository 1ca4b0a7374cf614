// SPDX-License-Identifier: Apache-2.0
// Runs several tries at a time, each in a thread that calls the interestingness test.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reduce/interestingness.h"

namespace refract {
inline namespace reduce {

/// A candidate and the state of its try.
struct Try {
  Candidate candidate;
  std::string hash;  ///< of module and inputs
  enum class State : uint8_t { kReady, kUnderWay, kDone } state = State::kReady;
  // Until the try is done, only TryRunner may access the following fields.
  std::optional<Result<bool>> answer;
  Status recorded;  ///< whether the answer was recorded
  /// The try that starts directly after answer false or true.
  std::array<std::shared_ptr<Try>, 2> next_by_answer;
  std::shared_ptr<Try> followed_by;  ///< the try that was started this way
};
using TryPointer = std::shared_ptr<Try>;

class TryRunner {
 public:
  /// Records an answer. The thread that got the answer calls it before it starts another try.
  using Record = std::function<Status(const std::string& hash, bool interesting)>;
  TryRunner(InterestingnessTest& test, uint32_t jobs, Record record)
      : test_(test), jobs_(jobs), record_(std::move(record)) {}
  ~TryRunner() { End(); }
  TryRunner(const TryRunner&) = delete;
  TryRunner& operator=(const TryRunner&) = delete;

  bool HasFreeJob() const { return under_way_ < jobs_; }
  /// Requires HasFreeJob().
  void Start(const TryPointer& one);
  /// Starts `next` as soon as `one` has that answer, in the same thread. That saves the time to
  /// wake up the main thread, which matters for tests that take milliseconds. Requires one job,
  /// that `one` is started, and that `next` is ready and is the next query after that answer. May
  /// be called again with another `next`.
  void StartAfter(const TryPointer& one, bool answer, const TryPointer& next);
  /// Returns the tries that are done since the last call, which may be none. Waits at most
  /// `seconds` for one.
  std::vector<TryPointer> Finished(double seconds);

  /// Waits for the running tries and drops those that have not started. Start must not be called
  /// afterwards.
  void End();

  /// The number of runs of the test. Before End(), it may grow at any moment.
  size_t judged();
  /// The time in which at least one try was running.
  double busy_seconds();

 private:
  void Work();

  InterestingnessTest& test_;
  const uint32_t jobs_;
  const Record record_;
  uint32_t under_way_ = 0;  // started, and not returned by Finished
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // protects the fields below
  std::condition_variable work_, done_;
  std::deque<TryPointer> waiting_;
  std::vector<TryPointer> finished_;
  size_t judged_ = 0;
  uint32_t running_ = 0;
  double busy_since_ = 0, busy_seconds_ = 0;
  bool over_ = false;
};

}  // namespace reduce
}  // namespace refract
