// SPDX-License-Identifier: Apache-2.0
// Which values are surely defined. A value that may be undefined is harmless as long as nothing
// depends on it; in a place that steers something it would be undefined behaviour, also where the
// value itself does not matter. So what is irrelevant is kept defined.
#pragma once

#include "rules/context.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// Whether the value is defined wherever it is available, for all that can be told at a glance:
/// constants; inputs and uniforms; what pure instructions that are defined for all operands, or by
/// those that are constants, make of those; variables of the invocation's own that are written
/// whole before, and always with defined values. Looks at a bounded number of instructions and says
/// no beyond.
bool IsSurelyDefined(const View& view, Id value);
/// Whether the value, where it is defined, is the same bits on every implementation: nothing on the
/// way to it is rounded, approximated or interpolated. Bounded, too.
bool IsSurelyExact(const View& view, Id value);
/// Whether what is loaded of a variable of class Input, of type `loaded`, is the same bits on every
/// implementation: floats are interpolated, all but FragCoord.
bool IsExactInput(const Module& module, Id variable, Id loaded);
/// Whether the condition has steered a branch whenever `block` is reached.
bool HasDecidedBefore(const View& view, Id condition, Block block);
/// Whether a new branch in `block` may depend on the value: that is undefined behaviour if the
/// value is undefined, and makes much of a small difference if it is not exact.
Verdict MaySteer(const View& view, Id value, Block block);

}  // namespace refract::inline rules
