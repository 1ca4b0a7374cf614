// SPDX-License-Identifier: Apache-2.0
// Lists plans that are one step shorter, as candidates of a reduction, as cfg/cuts.h does for
// graphs.
#pragma once

#include <vector>

#include "flesh/plan.h"

namespace refract::flesh {

/// Returns plans of the same graph with one path less, or with a path that leaves out what lies
/// between two visits of a block: all later iterations of a loop, half of them, or one. An
/// invocation whose path is removed takes another one. The plans are sorted by their total number
/// of visits, shortest first, without duplicates. Each is a plan that MakePlan could return, for
/// the same number of invocations. The list is empty if the plan has a single path that visits no
/// block twice.
std::vector<Plan> ShorterPlans(const Plan& plan);

}  // namespace refract::flesh
