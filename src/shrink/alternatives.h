// SPDX-License-Identifier: Apache-2.0
// What the steps of a recording could be instead. Each alternative is played when it is wanted, or
// before, while a judge is at work: what comes next after a no and after a yes is known.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "shrink/played.h"

namespace refract::inline shrink {

class Alternatives {
 public:
  /// The alternatives to the step at that place, the one to try first in front.
  using List = std::function<std::vector<AnyMessage>(const Played&, size_t step)>;
  /// The recording with one in place of that step; null if that does not replay.
  using Make = std::function<PlayedPointer(const Played&, size_t step, const AnyMessage&)>;
  /// Whether it has to be asked about `candidate`, an alternative to `best`.
  using IsOpen = std::function<bool(const PlayedPointer& candidate, const Played& best)>;

  Alternatives(List list, Make make, IsOpen is_open)
      : list_(std::move(list)), make_(std::move(make)), is_open_(std::move(is_open)) {}

  size_t Count(const PlayedPointer& best, size_t step) {
    return LineOf(best, step).messages.size();
  }
  /// Null if it does not replay. `at` is at most one further than those that are made.
  PlayedPointer At(const PlayedPointer& best, size_t step, size_t at);
  /// Makes the first that is not made yet, from this one on and from the last step to the first;
  /// false if there is none before the next to be asked about, or the one so many further.
  bool MakeAhead(const PlayedPointer& best, size_t step, size_t at, size_t further = 0);
  /// Drops what there is for any but these two.
  void Keep(const PlayedPointer& best, const PlayedPointer& candidate);

 private:
  struct Line {
    PlayedPointer best;
    std::vector<AnyMessage> messages;
    std::vector<PlayedPointer> made;  // the first so many
  };
  Line& LineOf(const PlayedPointer& best, size_t step);
  void MakeNext(Line* line, size_t step);

  List list_;
  Make make_;
  IsOpen is_open_;
  std::map<std::pair<const Played*, size_t>, Line> lines_;  // by the best and the step
};

}  // namespace refract::inline shrink
