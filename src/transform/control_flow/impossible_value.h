// SPDX-License-Identifier: Apache-2.0
// Finds values that an integer certainly never has, from the way it is computed.
#pragma once

#include "rules/context.h"

namespace refract {
inline namespace transform {

/// True if `id`, an int, is certainly never `bits` (whose bits above the width are zero). Examines
/// its definition and, where that selects between values, a few further steps. Irrelevant values
/// can be anything.
bool CannotEqual(const View& view, Id id, uint64_t bits);

}  // namespace transform
}  // namespace refract
