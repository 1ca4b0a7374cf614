// SPDX-License-Identifier: Apache-2.0
// Runs one test: makes a variant of a reference, a control-flow program or a variant of one, and
// runs it on all targets.
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

namespace refract {
inline namespace campaign {

/// The options that make the variant of a test.
FuzzOptions VariantOptions(const CampaignSetup& setup, const TestPlan& plan);

/// Makes the variant of a test that has a reference. It depends only on the plan, so it can be made
/// again at any time.
Result<FuzzResult> MakeVariant(const CampaignSetup& setup, const TestPlan& plan);

/// The shell command that makes the module of a test, for people.
std::string MakeVariantCommand(const CampaignSetup& setup, const TestPlan& plan);

/// Makes and runs test `index`, and fills in all members except `at`. Calls `stop` between targets
/// and while it confirms hangs. Returns nullopt for a test that was stopped. An Error means that no
/// test can run any more.
Result<std::optional<CampaignTest>> RunTest(const CampaignSetup& setup, uint64_t index,
                                            References& references, Hangs& hangs, Harness& harness,
                                            const std::function<bool()>& stop);

}  // namespace campaign
}  // namespace refract
