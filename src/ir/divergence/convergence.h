// SPDX-License-Identifier: Apache-2.0
// Finds which invocations must execute an instruction together: derivatives, samples with implicit
// level of detail, subgroup operations and barriers depend on this.
#pragma once

#include "ir/divergence/divergence.h"
#include "ir/module.h"

namespace refract {
inline namespace ir {

/// The largest divergence class that a condition may have if it decides whether the instruction is
/// executed and the instruction's result must not change. kDivergent for an instruction that each
/// invocation executes independently; kDraw if nothing is known about it.
DivergenceClass RequiredUniformity(const Module& module, Inst inst);

}  // namespace ir
}  // namespace refract
