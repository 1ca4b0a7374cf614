// SPDX-License-Identifier: Apache-2.0
// Parts of values that nothing reads: those may as well be undefined.
#pragma once

#include <cstdint>

#include "rules/context.h"

namespace refract::inline rules {

/// Parts of a composite as bits; a value that is none is one part. Parts from 63 on share a bit.
using PartSet = uint64_t;
constexpr PartSet kAllParts = ~PartSet{0};

/// Which parts of the user's result depend on those parts of its operand.
PartSet PartsThatFollow(const Module& module, Inst user, uint32_t operand, PartSet parts);
/// Whether nothing would come of it if those parts of what `inst` computes were anything, undefined
/// too, each time: it only computes; nothing is known of the value, in which case the parts might
/// come to be used elsewhere; and of what uses it the same holds. Bounded: no beyond.
bool AreUnread(const View& view, Inst inst, PartSet parts);

}  // namespace refract::inline rules
