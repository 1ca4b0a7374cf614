// SPDX-License-Identifier: Apache-2.0
// Which values are certainly defined. An undefined value does no harm as long as nothing depends on
// it, but a branch on it is undefined behaviour, even if the value itself does not matter.
// Therefore irrelevant values are kept defined.
#pragma once

#include "rules/context.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// True if a simple analysis shows that the value is defined wherever it is available. This holds
/// for constants, inputs and uniforms; for results of pure instructions on defined operands that
/// are defined for all operand values, or for the constant operands that they have; and for
/// variables of the invocation that are completely written before, always with defined values. The
/// analysis visits a bounded number of instructions and then returns false.
bool IsSurelyDefined(const View& view, Id value);
/// True if the value, where it is defined, has the same bits on every implementation: no operation
/// that computes it rounds, approximates or interpolates. The analysis is bounded, too.
bool IsSurelyExact(const View& view, Id value);
/// True if a load of type `loaded` from this Input variable gives the same bits on every
/// implementation. Floats are interpolated, except FragCoord. An integer from the vertex shader is
/// that of one triangle or another where it is open which of them covers a pixel.
bool IsExactInput(const View& view, Id variable, Id loaded);
/// True if a branch on the condition has been executed whenever `block` is reached.
bool WasBranchedOnBefore(const View& view, Id condition, Block block);
/// Checks that a new branch in `block` may depend on the value. A branch on an undefined value is
/// undefined behaviour, and a branch on an inexact value can turn a small difference into a large
/// one.
CheckResult MayBranchOn(const View& view, Id value, Block block);

}  // namespace rules
}  // namespace refract
