// SPDX-License-Identifier: Apache-2.0
// Component-wise operations: each component of the result depends only on the same components of
// the operands. Such an operation can be done component by component, or in a wider vector.
#pragma once

#include "rules/rule.h"

namespace refract {
inline namespace transform {

/// True if the instruction is in a block and is such an operation, on scalars or vectors.
bool IsComponentwise(const Module& module, Inst inst);
/// Checks that such an operation can be rewritten for another number of components. Its values must
/// support arithmetic; each operand must have as many components as the result, or be shared by all
/// components.
CheckResult MayChangeComponentCount(const View& view, Inst inst);
/// The index of the first operand: for an extended instruction, the one after the set and the
/// number.
uint32_t FirstComponentOperand(const Module& module, Inst inst);
/// True if the operand is one scalar for all components (the offset of a bit field, or the
/// condition that selects whole vectors).
bool IsSharedByComponents(const Module& module, Inst inst, uint32_t operand);

}  // namespace transform
}  // namespace refract
