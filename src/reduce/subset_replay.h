// SPDX-License-Identifier: Apache-2.0
// Replays subsets of a recording's steps, many of them alike: contexts along the way are kept, so
// that what two subsets begin with is applied once.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/result.h"
#include "engine/declarations.h"
#include "engine/original.h"
#include "message/recording.h"
#include "reduce/strategy.h"

namespace refract::inline reduce {

class SubsetReplay {
 public:
  /// As Replay has it; nothing is applied yet. Both must outlive this.
  static Result<SubsetReplay> Make(const Original& original, const message::Recording& recording);

  struct Replayed {
    Subset applied;
    Context context;
  };
  /// All steps. What Replay needs of them is kept for good: bisection asks about their beginnings.
  Replayed ReplayAll();
  /// Steps whose check says no are left out.
  Replayed Replay(const Subset& wanted);

  /// Replay, a little at a time.
  struct Unfinished {
    Subset wanted;
    size_t at = 0;  ///< steps of wanted that were tried
    Replayed replayed;
  };
  Unfinished Begin(const Subset& wanted) const;
  /// Tries so many steps more, at most. Whether all were.
  bool Continue(Unfinished* replay, size_t steps);

  /// Subsets asked for from here on are likely to begin as this one does.
  void Follow(const Subset& applied);

 private:
  // What follows a sequence of steps that applied.
  struct Path {
    Subset steps;
    std::map<size_t, Context> contexts;  // after so many of them
  };

  SubsetReplay(const message::Recording& recording, Context begin);
  bool Apply(uint32_t step, Context* context) const;

  const message::Recording* recording_;
  Declarations declarations_;
  Context begin_;
  Path whole_;   // all steps
  Path latest_;  // of the last Follow
};

}  // namespace refract::inline reduce
