// SPDX-License-Identifier: Apache-2.0
// Plans that are one step shorter: what a reduction tries of a plan, as cfg/smaller.h of a graph.
#pragma once

#include <vector>

#include "flesh/plan.h"

namespace refract::flesh {

/// Plans of the same graph with a walk less (whoever took it takes another one), or with a walk
/// that leaves out what it did between two visits of a block: all later trips round a loop, half of
/// them, or one. Shortest first, by the visits of all their walks; of equal ones one. Each is as
/// MakePlan would have it; invocations stay as many. None if the plan has one walk that visits no
/// block twice.
std::vector<Plan> ShorterPlans(const Plan& plan);

}  // namespace refract::flesh
