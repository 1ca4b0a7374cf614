// SPDX-License-Identifier: Apache-2.0
// The proof that no single step can go.
#pragma once

#include "reduce/subset.h"

namespace refract::inline reduce {

/// Leaves out one step after the other, from the end on and round again, until each of those that
/// are left has been tried since the last that could go: the proof of 1-minimality. What cannot be
/// applied without a step comes behind it and goes with it.
class Sweep {
 public:
  explicit Sweep(size_t steps) : at_(steps) {}

  /// False if there is nothing left to ask.
  bool Next(const Subset& best, Subset* next);
  /// The answer to that; makes `applied` the best if it is a yes.
  void Answer(bool interesting, const Subset& applied, Subset* best);

 private:
  size_t at_;         // behind the step to leave out
  size_t tried_ = 0;  // since the last success
};

}  // namespace refract::inline reduce
