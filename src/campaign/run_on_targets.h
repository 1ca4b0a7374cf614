// SPDX-License-Identifier: Apache-2.0
// Runs one test: makes a variant of a reference, a program with known output or a variant of one,
// and runs it on all targets.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "campaign/hangs.h"
#include "campaign/references.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"
#include "campaign/work/devices.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {

/// Makes and runs test `index`, and fills in all members except `at`. Calls `stop` between targets
/// and while it confirms hangs. Returns nullopt for a test that was stopped, for one whose
/// reference is put aside, and for one that no target could run because all devices are lost. An
/// Error means that no test can run any more.
Result<std::optional<CampaignTest>> RunTest(const CampaignSetup& setup, uint64_t index,
                                            References& references, Hangs& hangs, Devices& devices,
                                            Harness& harness, const std::function<bool()>& stop);

}  // namespace campaign
}  // namespace refract
