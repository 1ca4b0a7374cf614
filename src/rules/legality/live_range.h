// SPDX-License-Identifier: Apache-2.0
// Values that were defined long before a place: what uses them there has them alive across all that
// lies between, which is where registers run short.
#pragma once

#include <vector>

#include "rules/rule.h"

namespace refract::inline rules {

struct ValuesAbove {
  std::vector<Id> values;  ///< that may be used at the place, nearest first; no declarations
  /// From here on the values are defined before a loop, another construct, a call or a barrier that
  /// lies between, or outside a loop that the place is in; values.size() if there are none such.
  size_t far = 0;
};

/// Values of ordinary types that instructions above `where` define, in its block and up the
/// dominator tree. Looks at so many instructions at most.
ValuesAbove FindValuesAbove(const Module& module, Inst where, size_t most_instructions);

/// What has been loaded, a few instructions ago, through the pointer that `before` is a store to;
/// kNone of others. While that is used, what was stored there before is not dead.
Id LoadOfOverwritten(const Module& module, Inst before);

/// `near`, or half of the times those that FindValuesAbove calls far, if there are any: what
/// Propose draws a value from that something new makes use of.
std::vector<Id> NearOrFar(Proposer& proposer, Inst where, std::vector<Id> near);

}  // namespace refract::inline rules
