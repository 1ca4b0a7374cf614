// SPDX-License-Identifier: Apache-2.0
// Finds parts of values that nothing reads. Such parts may be undefined.
#pragma once

#include <cstdint>

#include "rules/context.h"

namespace refract {
inline namespace rules {

/// A set of parts of a composite, one bit for each. A value that is not a composite has one part.
/// Parts from 63 on share a bit.
using PartSet = uint64_t;
constexpr PartSet kAllParts = ~PartSet{0};

/// The parts of the user's result that depend on those parts of its operand.
PartSet DependentParts(const Module& module, Inst user, uint32_t operand, PartSet parts);
/// True if no observable result depends on those parts of the result of `inst`, so that they may
/// even be undefined. `inst` has no side effects; its result has no synonyms and is not a known
/// uniform value, because other steps might then use these parts elsewhere; and the same holds for
/// all its users. The analysis is bounded and then returns false.
bool AreUnread(const View& view, Inst inst, PartSet parts);

}  // namespace rules
}  // namespace refract
