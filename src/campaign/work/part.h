// SPDX-License-Identifier: Apache-2.0
// The beginning and the end of a part of a campaign: what is stored, and what the store says about
// findings.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"

namespace refract {
inline namespace campaign {

/// Begins a part of the campaign in the store: its number, targets, and the reference of
/// control-flow programs.
Status BeginPart(const CampaignSetup& setup, Store& store);

struct PartResult {
  uint64_t new_findings = 0;   ///< buckets that are neither muted nor known, of this part
  uint64_t open_findings = 0;  ///< the same, of all parts
  // Tests of findings that are not confirmed or not reduced yet, and their buckets.
  uint64_t unreduced_tests = 0;
  uint64_t unreduced_buckets = 0;
};

/// `begin`: how many seconds the campaign had worked when the part began.
Result<PartResult> CountFindings(Store& store, double begin);

}  // namespace campaign
}  // namespace refract
