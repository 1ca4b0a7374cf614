// SPDX-License-Identifier: Apache-2.0
// Confirms kept tests: runs them again and writes their test folders.
#pragma once

#include "base/result.h"
#include "campaign/findings/finding_filer.h"
#include "campaign/findings/finding_loader.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {

/// The state of a test of which `confirmed` of `runs` runs failed again. A test that does not
/// always hang is only slow; for other failures one run is enough.
KeptState StateAfterRuns(FailureClass verdict, uint32_t runs, uint32_t confirmed);

/// Confirms kept tests. Several threads may use it at once.
class FindingConfirmer {
 public:
  /// All arguments must outlive this.
  FindingConfirmer(const CampaignSetup& setup, FindingLoader& loader, FindingFiler& filer)
      : setup_(setup), loader_(loader), filer_(filer) {}

  /// Runs the test as often as the setup says, writes its folder, and files it as kConfirmed,
  /// kNotRepeated or kFailed. If the target is lost, the state does not change. A fault of Refract
  /// is not run, and is always confirmed. `now`: how many seconds the campaign has worked. Returns
  /// an Error if the store, the disk or the harness fails.
  Status Confirm(const Bucket& bucket, KeptTest kept, Harness& harness, double now);

 private:
  Status ConfirmFault(const Bucket& bucket, KeptTest kept, double now);

  const CampaignSetup& setup_;
  FindingLoader& loader_;
  FindingFiler& filer_;
};

}  // namespace campaign
}  // namespace refract
