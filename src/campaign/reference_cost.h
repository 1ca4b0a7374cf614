// SPDX-License-Identifier: Apache-2.0
// Estimates what it costs to run a reference, so that the first tests of a campaign run the cheap
// references. The estimate depends only on the module and its inputs: it is the same on every
// machine.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "campaign/setup.h"
#include "driver/run.h"

namespace refract {
inline namespace campaign {

/// The estimated number of instructions that a run executes: the instructions of all functions, for
/// each pixel or invocation. An instruction in a loop counts 8 times for each loop around it.
uint64_t CostOf(const Job& job);

/// The indices of `sources`, the cheapest first. References of equal cost are in the order of
/// `sources`.
std::vector<size_t> OrderByCost(const std::vector<CampaignSource>& sources);

}  // namespace campaign
}  // namespace refract
