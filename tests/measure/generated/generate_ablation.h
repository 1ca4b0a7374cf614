// SPDX-License-Identifier: Apache-2.0
// The ablation of ShaDiv (PLDI 2025, section 6.4): how many planted bugs generated programs find in
// equal processor time with and without divergence classes, and with and without longer live
// ranges.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "measure/generated/planted_targets.h"
#include "measure/numbered_runs.h"

namespace refract::measure {

/// For each of the four kinds of programs and each seed below `seeds`, makes programs and runs them
/// through the optimiser for `seconds` of processor time, and counts the bugs that they show. Only
/// the files of `runs` count: finished parts are read from the state file, and the table is
/// printed and written to the report. Returns the exit status: 1 if a program fails without a bug.
Result<int> MeasureAblation(const NumberedRuns& runs, const PlantedTargets& targets,
                            uint64_t seconds, uint64_t seeds);

}  // namespace refract::measure
