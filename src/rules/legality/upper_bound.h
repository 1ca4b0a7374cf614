// SPDX-License-Identifier: Apache-2.0
// How large an integer can be, by how it is computed.
#pragma once

#include "rules/context.h"

namespace refract::inline rules {

/// What no component of the value, an int or a vector of them read as unsigned, is above. Looks at
/// a bounded number of instructions; of what is irrelevant or of relaxed precision nothing is
/// known. Of a variable of class Input: what it holds.
uint64_t UpperBound(const View& view, Id value);

}  // namespace refract::inline rules
