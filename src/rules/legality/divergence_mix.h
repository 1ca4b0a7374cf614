// SPDX-License-Identifier: Apache-2.0
// Values drawn by divergence class, so that uniform and divergent ones meet: what a compiler keeps
// in scalar and in vector registers, and has to move between the two. For Propose alone.
#pragma once

#include <span>

#include "rules/rule.h"

namespace refract::inline rules {

/// Draws values for one Propose. Which class is next is a Markov chain that changes its mind every
/// other time: it interleaves more than a coin thrown with odds, and has runs all the same.
class DivergenceMix {
 public:
  /// One of the values, there must be some: of the class whose turn it is, if there is one of it.
  Id Pick(Proposer& proposer, std::span<const Id> values);

 private:
  bool wants_divergent_ = false;
};

}  // namespace refract::inline rules
