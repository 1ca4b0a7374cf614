// SPDX-License-Identifier: Apache-2.0
// Estimates how much work the entry points of a module do: the number of instructions, weighted by
// the loops and calls around them. The estimate serves to compare a variant with its original,
// which has the same loops: added functions must not run so often that a variant takes minutes.
#pragma once

#include <vector>

#include "rules/context.h"

namespace refract {
inline namespace transform {

/// The limit for the cost of one run of a function to which code is added.
constexpr double kMaxCallerCost = 1 << 18;

class Cost {
 public:
  explicit Cost(const View& view);
  /// The cost of one run of each entry point. Never 0.
  double total() const { return total_; }
  /// The cost that a call of `callee` in `block` would add; 0 if the block never runs.
  double OfCall(Block block, Function callee) const;
  /// The cost of one run of the function that contains `block`, with such a call.
  double OfCaller(Block block, Function callee) const;
  /// The same for code in `block` that costs `own` each time.
  double OfCode(Block block, double own) const;
  double OfFunctionWithCode(Block block, double own) const;

 private:
  struct Call {
    Function callee;
    double runs;  // in one run of the caller
  };
  struct FunctionCost {
    bool seen = false, safe = false;
    double own = 0, all = 0;  // of one run, without and with the called functions
    double runs = 0;          // how often the entry points run it
    std::vector<Call> calls;
  };
  double RunsOf(Block block, const FunctionCost& function) const;
  void Measure(Function function);

  const View view_;
  std::vector<FunctionCost> functions_;
  double total_ = 1;
};

}  // namespace transform
}  // namespace refract
