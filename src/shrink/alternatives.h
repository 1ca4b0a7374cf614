// SPDX-License-Identifier: Apache-2.0
// Alternatives for the steps of a recording. Each is replayed when it is needed, or before, while
// the interestingness test runs, because the next alternative is known for either answer.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "shrink/replayed.h"

namespace refract {
inline namespace shrink {

class Alternatives {
 public:
  /// Returns the alternatives for the step at a position, in the order in which to try them.
  using List = std::function<std::vector<AnyMessage>(const ReplayedRecording&, size_t step)>;
  /// Replays the recording with an alternative at the position of the step; null if it does not
  /// replay.
  using Make =
      std::function<ReplayedPointer(const ReplayedRecording&, size_t step, const AnyMessage&)>;
  /// True if the interestingness test must be asked about `candidate`, an alternative for `best`.
  using NeedsTest =
      std::function<bool(const ReplayedPointer& candidate, const ReplayedRecording& best)>;

  Alternatives(List list, Make make, NeedsTest needs_test)
      : list_(std::move(list)), make_(std::move(make)), needs_test_(std::move(needs_test)) {}

  /// Returns the number of alternatives for the step.
  size_t Count(const ReplayedPointer& best, size_t step) {
    return AlternativesOf(best, step).messages.size();
  }
  /// Returns the replayed alternative `at`; null if it does not replay. `at` is at most the number
  /// of those that are replayed.
  ReplayedPointer At(const ReplayedPointer& best, size_t step, size_t at);
  /// Replays the first alternative that is not replayed yet, from number `at` of `step` on, and
  /// then from later to earlier steps. Returns false if `further` + 1 alternatives that must be
  /// tested come before it, or if none is left.
  bool ReplayAhead(const ReplayedPointer& best, size_t step, size_t at, size_t further = 0);
  /// Drops the alternatives of all recordings but these two.
  void Keep(const ReplayedPointer& best, const ReplayedPointer& candidate);

 private:
  struct StepAlternatives {
    ReplayedPointer best;
    std::vector<AnyMessage> messages;
    std::vector<ReplayedPointer> replayed;  // the first elements of `messages`, replayed
  };
  StepAlternatives& AlternativesOf(const ReplayedPointer& best, size_t step);
  void ReplayNext(StepAlternatives* alternatives, size_t step);

  List list_;
  Make make_;
  NeedsTest needs_test_;
  std::map<std::pair<const ReplayedRecording*, size_t>, StepAlternatives>
      by_step_;  // by the best recording and the step
};

}  // namespace shrink
}  // namespace refract
