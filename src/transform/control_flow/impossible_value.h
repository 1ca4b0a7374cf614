// SPDX-License-Identifier: Apache-2.0
// Values that an integer surely does not have, by how it is computed.
#pragma once

#include "rules/context.h"

namespace refract::inline transform {

/// Whether `id`, of int type, is never `bits` (others than the low ones of its width are zero).
/// Looks at its definition and, where that chooses, a few steps on. What is irrelevant may be
/// anything.
bool IsNever(const View& view, Id id, uint64_t bits);

}  // namespace refract::inline transform
