// SPDX-License-Identifier: Apache-2.0
// A sweep over the steps, which proves that no single one can be left out.
#pragma once

#include "reduce/subset.h"

namespace refract {
inline namespace reduce {

/// Leaves out one step after the other, starting at the end and cyclically, until every remaining
/// step has been tried since the last one that was left out. This proves that the result is
/// 1-minimal. Steps that cannot be applied without another one come after it and are left out with
/// it.
class Sweep {
 public:
  explicit Sweep(size_t steps) : at_(steps) {}

  /// Sets `next` to the subset to ask about. Returns false if no subset is left.
  bool Next(const Subset& best, Subset* next);
  /// Takes the answer for the last subset. If it is interesting, `applied` becomes the best subset.
  void Answer(bool interesting, const Subset& applied, Subset* best);

 private:
  size_t at_;         // the position after the step to leave out
  size_t tried_ = 0;  // tries since the last success
};

}  // namespace reduce
}  // namespace refract
