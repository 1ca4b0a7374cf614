// SPDX-License-Identifier: Apache-2.0
// How many numbers are alive at once in a module: what registers a compiler wants that neither
// moves nor computes anything again.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace refract::measure {

/// The most scalars that are alive at one place of a function: of values that its instructions
/// define, and that something behind that place uses. Pointers and what is opaque do not count, nor
/// do constants.
uint64_t MaxLiveScalars(const Module& module);

}  // namespace refract::measure
