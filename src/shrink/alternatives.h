// SPDX-License-Identifier: Apache-2.0
// Alternatives for the steps of a recording. Each is replayed when it is needed, or before, while
// the interestingness test runs, because the next alternative is known for either answer.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "shrink/played.h"

namespace refract {
inline namespace shrink {

class Alternatives {
 public:
  /// Returns the alternatives for the step at a position, in the order in which to try them.
  using List = std::function<std::vector<AnyMessage>(const Played&, size_t step)>;
  /// Replays the recording with an alternative at the position of the step; null if it does not
  /// replay.
  using Make = std::function<PlayedPointer(const Played&, size_t step, const AnyMessage&)>;
  /// True if the interestingness test must be asked about `candidate`, an alternative for `best`.
  using IsOpen = std::function<bool(const PlayedPointer& candidate, const Played& best)>;

  Alternatives(List list, Make make, IsOpen is_open)
      : list_(std::move(list)), make_(std::move(make)), is_open_(std::move(is_open)) {}

  /// Returns the number of alternatives for the step.
  size_t Count(const PlayedPointer& best, size_t step) {
    return LineOf(best, step).messages.size();
  }
  /// Returns the replayed alternative `at`; null if it does not replay. `at` is at most the number
  /// of those that are replayed.
  PlayedPointer At(const PlayedPointer& best, size_t step, size_t at);
  /// Replays the first alternative that is not replayed yet, from number `at` of `step` on, and
  /// then from later to earlier steps. Returns false if `further` + 1 alternatives that must be
  /// tested come before it, or if none is left.
  bool MakeAhead(const PlayedPointer& best, size_t step, size_t at, size_t further = 0);
  /// Drops the alternatives of all recordings but these two.
  void Keep(const PlayedPointer& best, const PlayedPointer& candidate);

 private:
  struct Line {
    PlayedPointer best;
    std::vector<AnyMessage> messages;
    std::vector<PlayedPointer> made;  // the first elements of `messages`, replayed
  };
  Line& LineOf(const PlayedPointer& best, size_t step);
  void MakeNext(Line* line, size_t step);

  List list_;
  Make make_;
  IsOpen is_open_;
  std::map<std::pair<const Played*, size_t>, Line> lines_;  // by the best recording and the step
};

}  // namespace shrink
}  // namespace refract
