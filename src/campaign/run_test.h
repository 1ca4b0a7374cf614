// SPDX-License-Identifier: Apache-2.0
// One test: a variant of a reference, a fleshed program or a variant of one is made and run on all
// targets.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "campaign/hangs.h"
#include "campaign/references.h"
#include "campaign/setup.h"
#include "campaign/store.h"
#include "engine/fuzz.h"
#include "target/harness.h"

namespace refract::inline campaign {

FuzzOptions VariantOptions(const CampaignSetup& setup, const TestPlan& plan);

/// The variant of a test of a reference, made again whenever it is wanted: it follows from the
/// plan.
Result<FuzzResult> MakeVariant(const CampaignSetup& setup, const TestPlan& plan);

/// The command that makes what a test runs, for people.
std::string MakeVariantCommand(const CampaignSetup& setup, const TestPlan& plan);

/// Makes and runs test `index`. All but `at` is filled in; `stop` is asked between targets and in
/// the middle of hangs, and a test that was stopped is none: nullopt. An Error means that no test
/// can be run any more.
Result<std::optional<CampaignTest>> RunTest(const CampaignSetup& setup, uint64_t index,
                                            References& references, Hangs& hangs, Harness& harness,
                                            const std::function<bool()>& stop);

}  // namespace refract::inline campaign
