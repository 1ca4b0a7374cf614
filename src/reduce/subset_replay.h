// SPDX-License-Identifier: Apache-2.0
// Replays many similar subsets of the steps of a recording. It stores contexts on the way, so that
// a common prefix of two subsets is applied once.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/result.h"
#include "engine/declarations.h"
#include "engine/original.h"
#include "message/recording.h"
#include "reduce/strategy.h"

namespace refract {
inline namespace reduce {

class SubsetReplay {
 public:
  /// Refuses what Replay refuses. Applies no steps yet. Both arguments must outlive this object.
  static Result<SubsetReplay> Make(const Original& original, const message::Recording& recording);

  struct Replayed {
    Subset applied;
    Context context;
  };
  /// Replays all steps. The contexts on the way are stored for good, because bisection asks about
  /// prefixes of all steps.
  Replayed ReplayAll();
  /// Replays `wanted`. Leaves out steps whose check fails.
  Replayed Replay(const Subset& wanted);

  /// A replay that is made a few steps at a time.
  struct Unfinished {
    Subset wanted;
    size_t at = 0;  ///< the number of steps of `wanted` that were tried
    Replayed replayed;
  };
  /// Begins a replay of `wanted` with the longest stored prefix.
  Unfinished Begin(const Subset& wanted) const;
  /// Tries at most `steps` more steps. Returns true if all steps of `wanted` were tried.
  bool Continue(Unfinished* replay, size_t steps);

  /// Says that later subsets are likely to have the same prefix as `applied`.
  void ExpectPrefix(const Subset& applied);

 private:
  // Contexts after prefixes of a sequence of applied steps.
  struct StoredPrefixes {
    Subset steps;
    std::map<size_t, Context> contexts;  // by the length of the prefix
  };

  SubsetReplay(const message::Recording& recording, Context begin);
  bool Apply(uint32_t step, Context* context) const;

  const message::Recording* recording_;
  Declarations declarations_;
  Context begin_;
  StoredPrefixes whole_;   // of all steps
  StoredPrefixes latest_;  // of the last ExpectPrefix
};

}  // namespace reduce
}  // namespace refract
