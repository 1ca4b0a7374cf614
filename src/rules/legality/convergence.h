// SPDX-License-Identifier: Apache-2.0
// Which invocations execute an instruction together, and which changes could separate them.
#pragma once

#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// The shader stages whose entry points reach a function.
enum class Stages : uint8_t { kCompute, kFragment, kOthers };
/// kOthers also if entry points of several stages reach the function, or none.
Stages StagesReaching(const Module& module, Function function);

/// True if the value certainly has the same bits in all invocations of a subgroup that execute an
/// instruction in `where` together, or has such a synonym. In fragment shaders it is not known
/// which invocations these are, so there it must be the same in all invocations.
bool IsSameInSubgroup(const View& view, Id value, Block where);

/// Checks that invocations that reach the start of `entry` may take different paths, chosen by the
/// value `by`, until they leave the region at `exit`. SPIR-V (2.2.5) promises that they reconverge
/// only if they were converged before; if this is not certain, no convergent instruction may run
/// after the region.
CheckResult MayDiverge(const View& view, Block entry, Block exit, Id by);

/// True if all invocations of a workgroup enter the block together, even if each of them replaces
/// irrelevant values by others, as later steps may.
bool IsSurelyUniformInWorkgroup(const View& view, Block block);

}  // namespace rules
}  // namespace refract
