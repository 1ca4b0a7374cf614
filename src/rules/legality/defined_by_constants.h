// SPDX-License-Identifier: Apache-2.0
// Operations that are undefined for some operands, but not for the constant operands that they
// have.
#pragma once

#include "ir/module.h"

namespace refract {
inline namespace rules {

/// True if the behaviour and the result of the instruction are defined for all defined values of
/// its operands that are not constants. Either they always are, or the constant operands ensure it
/// (a divisor that is neither 0 nor -1, a shift amount below the width, and so on). False for
/// instructions that access memory.
bool IsDefinedByConstants(const Module& module, Inst inst);

}  // namespace rules
}  // namespace refract
