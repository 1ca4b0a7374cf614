// SPDX-License-Identifier: Apache-2.0
// Makes the variant of a test, as often as it is needed: the plan of the test determines it.
#pragma once

#include <string>

#include "base/result.h"
#include "campaign/setup.h"
#include "engine/fuzz.h"

namespace refract {
inline namespace campaign {

/// The options that make the variant of a test.
FuzzOptions VariantOptions(const CampaignSetup& setup, const TestPlan& plan);

/// Makes the variant of a test that has a reference. It depends only on the plan, so it can be made
/// again at any time.
Result<FuzzResult> MakeVariant(const CampaignSetup& setup, const TestPlan& plan);

/// The shell command that makes the module of a test, for people.
std::string MakeVariantCommand(const CampaignSetup& setup, const TestPlan& plan);

}  // namespace campaign
}  // namespace refract
