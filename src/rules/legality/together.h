// SPDX-License-Identifier: Apache-2.0
// Which invocations execute an instruction together, and what may change that.
#pragma once

#include "rules/rule.h"

namespace refract::inline rules {

/// Of the stages whose entry points reach a function.
enum class Stages : uint8_t { kCompute, kFragment, kOthers };
/// kOthers also where several kinds do, or none.
Stages StagesReaching(const Module& module, Function function);

/// Whether the value surely is the same bits in all invocations of a subgroup that execute
/// something together in `where`, or equals such a value. In fragment shaders, where it is open
/// which those are: in all invocations there are.
bool IsSameInSubgroup(const View& view, Id value, Block where);

/// Whether invocations that come to the start of `entry` may go different ways by the value `by`
/// from there until they have left `exit`, the end of the region from there: SPIR-V (2.2.5)
/// promises that they are together again only where all that work together were, so elsewhere
/// nothing behind may depend on it.
Verdict MayPart(const View& view, Block entry, Block exit, Id by);

}  // namespace refract::inline rules
