// SPDX-License-Identifier: Apache-2.0
// Legality of operations that are a matter of who executes them together: derivatives, samples with
// implicit level of detail, subgroup operations, barriers.
#pragma once

#include "ir/divergence/divergence.h"
#include "ir/module.h"

namespace refract::inline ir {

/// Who has to do with whom in the instruction: the class that a condition may have at most, if it
/// is to decide whether the instruction is executed and the result stay as it was. kDivergent for
/// one that is for each invocation by itself; kDraw where nothing is known.
DivergenceClass TogetherFor(const Module& module, Inst inst);

}  // namespace refract::inline ir
