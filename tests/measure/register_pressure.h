// SPDX-License-Identifier: Apache-2.0
// Counts how many scalars are alive at once in a module: the registers that a compiler needs if it
// neither moves nor recomputes anything.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace refract::measure {

/// The most scalars that are alive at one place of a function. A value is alive if an instruction
/// of the function defines it and something after the place uses it. Pointers, opaque values and
/// constants do not count.
uint64_t MaxLiveScalars(const Module& module);

}  // namespace refract::measure
