// SPDX-License-Identifier: Apache-2.0
// Operations that are undefined for some operands, but not for the constants they have.
#pragma once

#include "ir/module.h"

namespace refract::inline rules {

/// Whether behaviour and value of the instruction are defined for all values of those of its
/// operands that are no constants, as long as these are defined: it is so for any, or constants
/// make it so (a divisor that is neither 0 nor -1, a shift below the width, ...). Not for what
/// accesses memory.
bool IsDefinedByConstants(const Module& module, Inst inst);

}  // namespace refract::inline rules
