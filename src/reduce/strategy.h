// SPDX-License-Identifier: Apache-2.0
// Which subset of a recording's steps to ask about next, given the answers so far. A strategy is
// data that can be copied: what it will ask after a yes and after a no is known before the answer
// is, and can be tried at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "reduce/reduce.h"
#include "reduce/subset.h"

namespace refract::inline reduce {

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::unique_ptr<Strategy> Clone() const = 0;

  /// What to ask; null when best() is 1-minimal.
  const Subset* Next() const { return done_ ? nullptr : &next_; }
  /// The answer to that. `applied` are those steps of it that applied; the others are gone too.
  virtual void Answer(bool interesting, const Subset& applied) = 0;
  /// Per cent chance of a yes, at a guess.
  virtual uint32_t Odds() const = 0;

  /// The smallest subset known to be interesting. Always what applied.
  const Subset& best() const { return best_; }

 protected:
  explicit Strategy(Subset all) : best_(std::move(all)) {}
  Subset best_, next_;
  bool done_ = false;
};

/// For each step the places of those that it needs, directly.
using Needs = std::vector<std::vector<uint32_t>>;

/// `all` is known to be interesting, the empty subset not to be.
std::unique_ptr<Strategy> MakeStrategy(Algorithm algorithm, Subset all,
                                       std::shared_ptr<const Needs> needs);
/// Each step of `all` left out in turn, until none can be.
std::unique_ptr<Strategy> MakeSweep(Subset all);

}  // namespace refract::inline reduce
