// SPDX-License-Identifier: Apache-2.0
// Operations that compute each component of their result from the same components of their
// operands: as good component by component, and inside a wider vector.
#pragma once

#include "rules/rule.h"

namespace refract::inline transform {

/// Whether the instruction of a block is such an operation, of scalars or of vectors.
bool IsLanewise(const Module& module, Inst inst);
/// Whether such an operation of values that may be computed with can be written for other numbers
/// of components: its operands have as many as its result, or are for all of them.
Verdict MayChangeLanes(const View& view, Inst inst);
/// Its operands begin here: behind the set and the number of an extended instruction.
uint32_t FirstLaneOperand(const Module& module, Inst inst);
/// Whether the operand is one scalar for all components (the offset of a bit field, the condition
/// that selects whole vectors).
bool IsForAllLanes(const Module& module, Inst inst, uint32_t operand);

}  // namespace refract::inline transform
