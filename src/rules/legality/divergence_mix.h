// SPDX-License-Identifier: Apache-2.0
// Picks values by divergence class, so that uniform and divergent values are combined. Compilers
// keep these in scalar and vector registers and must move values between them. Only for Propose
// functions.
#pragma once

#include <span>

#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// Picks values for one call of a Propose function. The class alternates as a Markov chain that
/// changes with probability 1/2: this mixes the classes and still gives runs of one class.
class DivergenceMix {
 public:
  /// Picks one of the values, of which there is at least one: a value of the class whose turn it
  /// is, if there is one.
  Id Pick(Proposer& proposer, std::span<const Id> values);

 private:
  bool wants_divergent_ = false;
};

}  // namespace rules
}  // namespace refract
