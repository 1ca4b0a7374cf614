// SPDX-License-Identifier: Apache-2.0
// A strategy decides which subset of the steps of a recording to ask about next. Strategies can be
// copied, so the next question is known for either answer before the answer is, and both can be
// prepared or tried at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "reduce/reduce.h"
#include "reduce/subset.h"

namespace refract {
inline namespace reduce {

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::unique_ptr<Strategy> Clone() const = 0;

  /// The subset to ask about; null if best() is 1-minimal.
  const Subset* Next() const { return done_ ? nullptr : &next_; }
  /// Gives the strategy the answer for Next(). `applied` are the steps of that subset that applied;
  /// the others are left out too.
  virtual void Answer(bool interesting, const Subset& applied) = 0;
  /// The estimated chance, per cent, that Next() is interesting.
  virtual uint32_t ChancePercent() const = 0;

  /// The smallest subset known to be interesting. All of its steps apply.
  const Subset& best() const { return best_; }

 protected:
  explicit Strategy(Subset all) : best_(std::move(all)) {}
  Subset best_, next_;
  bool done_ = false;
};

/// For each step, the positions of the steps that it directly depends on.
using DependencyLists = std::vector<std::vector<uint32_t>>;

/// Makes the strategy for `algorithm`. `all` must be interesting, and the empty subset must not be.
std::unique_ptr<Strategy> MakeStrategy(Algorithm algorithm, Subset all,
                                       std::shared_ptr<const DependencyLists> needs);
/// Makes a strategy that leaves out each step of `all` in turn until none can be left out.
std::unique_ptr<Strategy> MakeSweep(Subset all);

}  // namespace reduce
}  // namespace refract
