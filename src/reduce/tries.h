// SPDX-License-Identifier: Apache-2.0
// Several tries at a time: threads that ask the judge.
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

#include "reduce/judge.h"

namespace refract::inline reduce {

/// A candidate on its way to an answer.
struct Try {
  Candidate candidate;
  std::string hash;  ///< of module and inputs
  enum class State : uint8_t { kReady, kUnderWay, kDone } state = State::kReady;
  // Only Tries looks at the rest before it is done.
  std::optional<Result<bool>> answer;
  Status recorded;                             ///< what came of recording it
  std::array<std::shared_ptr<Try>, 2> behind;  ///< what begins right after a no and after a yes
  std::shared_ptr<Try> followed_by;            ///< the one that has
};
using TryPointer = std::shared_ptr<Try>;

class Tries {
 public:
  /// Each answer is recorded, by its thread, before that asks anything else.
  using Record = std::function<Status(const std::string& hash, bool interesting)>;
  Tries(Judge& judge, uint32_t jobs, Record record)
      : judge_(judge), jobs_(jobs), record_(std::move(record)) {}
  ~Tries() { End(); }
  Tries(const Tries&) = delete;
  Tries& operator=(const Tries&) = delete;

  bool HasRoom() const { return under_way_ < jobs_; }
  /// Requires HasRoom().
  void Start(const TryPointer& one);
  /// Begins `next` as soon as `one` has that answer, with nobody having to wake up in between: for
  /// a judge of milliseconds that counts. Requires that there is one job, that `one` is started,
  /// and that `next` is ready and will be asked then. May be said again, of another one.
  void StartBehind(const TryPointer& one, bool answer, const TryPointer& next);
  /// Those that have been answered since, which may be none; waits up to so many seconds for one.
  std::vector<TryPointer> Finished(double seconds);

  /// Waits for what the judge is at; what it has not been asked yet it never will be. Requires that
  /// nothing is started from then on.
  void End();

  /// Times the judge was asked: before End() one may be added at any moment.
  size_t judged();
  /// In which at least one try was under way.
  double busy_seconds();

 private:
  void Work();

  Judge& judge_;
  const uint32_t jobs_;
  const Record record_;
  uint32_t under_way_ = 0;  // started, and not given back by Finished
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // for what follows
  std::condition_variable work_, done_;
  std::deque<TryPointer> waiting_;
  std::vector<TryPointer> finished_;
  size_t judged_ = 0;
  uint32_t judging_ = 0;
  double busy_since_ = 0, busy_seconds_ = 0;
  bool over_ = false;
};

}  // namespace refract::inline reduce
