// SPDX-License-Identifier: Apache-2.0
// Values that were defined long before a place. A new use at that place keeps such a value alive
// across everything in between, and compilers may run out of registers.
#pragma once

#include <vector>

#include "rules/rule.h"

namespace refract {
inline namespace rules {

struct ValuesAbove {
  std::vector<Id> values;  ///< usable at the place, nearest first; no declarations
  /// From this index on, between the definition of the value and the place there is a loop, another
  /// construct, a call or a barrier, or the value is defined outside a loop that contains the
  /// place. values.size() if there are no such values.
  size_t far = 0;
};

/// Values of ordinary types that are defined before `where`, in its block and in the blocks that
/// dominate it. Examines at most `most_instructions` instructions.
ValuesAbove FindValuesAbove(const Module& module, Inst where, size_t most_instructions);

/// If `before` is a store: the result of a load through the same pointer a few instructions
/// earlier, whose use keeps the value stored there before alive. Otherwise kNone.
Id LoadOfOverwritten(const Module& module, Inst before);

/// Returns `near` or, in half of the calls, the far values of FindValuesAbove if there are any.
/// Propose functions pick the operands of new instructions from the result.
std::vector<Id> NearOrFar(Proposer& proposer, Inst where, std::vector<Id> near);

}  // namespace rules
}  // namespace refract
