// SPDX-License-Identifier: Apache-2.0
// Checks the invariants of module.h for a whole module, to find faults of edits. This is slow (it
// visits everything several times) and used only by tests and self-checks.
#pragma once

#include "base/result.h"
#include "ir/module.h"

namespace refract {
inline namespace ir {

/// Passes if all lists are linked in both directions and ordered, uses are exact in both
/// directions, names are unique and find their instructions, the word count is the written size,
/// cached control flow equals newly built control flow, and the module is the same after writing
/// and reading it. The error is "INVARIANT: what is wrong: INSTRUCTION".
Status CheckConsistency(const Module& module);

/// True if two results of BuildControlFlow describe the same control flow.
bool SameFlow(const ControlFlow& a, const ControlFlow& b);

}  // namespace ir
}  // namespace refract
