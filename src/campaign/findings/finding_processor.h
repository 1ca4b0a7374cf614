// SPDX-License-Identifier: Apache-2.0
// Processes the tests that a campaign keeps, from the failing run to the reduced test folder:
//
//   found -> confirmed -> reduced, or ended if the reduction takes too long
//         -> not_repeated, failed
//
// Four parts share the work: FindingLoader makes a test again from its number, FindingConfirmer
// runs it again, FindingReducer makes it small, and FindingFiler chooses its bucket and folder and
// stores the results.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "campaign/findings/finding_confirmer.h"
#include "campaign/findings/finding_filer.h"
#include "campaign/findings/finding_loader.h"
#include "campaign/findings/finding_reducer.h"
#include "campaign/references.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {

/// Processes kept tests. Several threads may use it at once.
class FindingProcessor {
 public:
  /// All arguments must outlive this.
  FindingProcessor(const CampaignSetup& setup, References& references, Store& store)
      : loader_(setup, references),
        filer_(setup, store),
        confirmer_(setup, loader_, filer_),
        reducer_(setup, loader_, filer_) {}
  FindingProcessor(const FindingProcessor&) = delete;
  FindingProcessor& operator=(const FindingProcessor&) = delete;

  /// See FindingFiler::FilingOf.
  Filing FilingOf(const Outcome& outcome, const std::string& reference, bool original) const {
    return filer_.FilingOf(outcome, reference, original);
  }
  /// See FindingConfirmer::Confirm.
  Status Confirm(const Bucket& bucket, const KeptTest& kept, Harness& harness, double now) {
    return confirmer_.Confirm(bucket, kept, harness, now);
  }
  /// See FindingReducer::Reduce.
  Status Reduce(const Bucket& bucket, const KeptTest& kept, Harness& harness,
                const std::function<bool()>& stop, double slice,
                const std::function<double()>& now) {
    return reducer_.Reduce(bucket, kept, harness, stop, slice, now);
  }

 private:
  FindingLoader loader_;
  FindingFiler filer_;
  FindingConfirmer confirmer_;
  FindingReducer reducer_;
};

}  // namespace campaign
}  // namespace refract
