// SPDX-License-Identifier: Apache-2.0
// How much a module's entry points may run, at a glance: instructions, weighted by the loops and
// calls around them. Good for comparing a variant with its original, which have the same loops:
// functions that are added must not run so often that a variant takes minutes.
#pragma once

#include <vector>

#include "rules/context.h"

namespace refract::inline transform {

class Cost {
 public:
  explicit Cost(const View& view);
  /// Of one run of each entry point. Never 0.
  double total() const { return total_; }
  /// What a call of `callee`, put into `block`, would add to it; 0 where nothing runs.
  double OfCall(Block block, Function callee) const;
  /// Of one run of the block's function with such a call.
  double OfCaller(Block block, Function callee) const;

 private:
  struct Call {
    Function callee;
    double runs;  // in one run of the caller
  };
  struct OfFunction {
    bool seen = false, safe = false;
    double own = 0, all = 0;  // of one run, without and with what it calls
    double runs = 0;          // of all entry points
    std::vector<Call> calls;
  };
  double RunsOf(Block block, const OfFunction& function) const;
  void Measure(Function function);

  const View view_;
  std::vector<OfFunction> functions_;
  double total_ = 1;
};

}  // namespace refract::inline transform
