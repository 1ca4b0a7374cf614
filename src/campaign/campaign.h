// SPDX-License-Identifier: Apache-2.0
// Runs a campaign: threads run tests, and confirm and reduce the tests that are kept, until all
// work is done, the time is up or the caller stops them. The state of the campaign is in the store
// (store.h).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/counts.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"
#include "campaign/work/devices.h"
#include "campaign/work/part.h"

namespace refract {
inline namespace campaign {

/// The progress of a campaign, for its live status, progress messages and stats.json.
struct CampaignProgress {
  CampaignPhase phase = CampaignPhase::kReferences;
  uint64_t checked = 0;  ///< references that were checked since the start
  uint64_t references = 0;
  uint64_t tests = 0;                  ///< in all, also of earlier parts
  uint64_t findings = 0;               ///< buckets for which IsFinding holds
  uint64_t waiting = 0;                ///< kept tests that are not reduced yet, with `reducing`
  double seconds = 0;                  ///< of this part
  double tests_per_second = 0;         ///< of this part
  double since_new_bucket = -1;        ///< seconds; negative: there is no bucket yet
  double all_seconds = 0;              ///< of all parts
  uint64_t new_tests = 0;              ///< of this part
  double recent_tests_per_second = 0;  ///< in the last minute
  uint64_t reducing = 0;               ///< kept tests under confirmation or reduction
  std::optional<double> time_limit;    ///< of this part, in seconds
  std::optional<uint64_t> test_limit;  ///< for all parts together
  CampaignCounts counts;
  /// Messages that stay on the screen, since the last call: "nvidia: device lost in test 7868;
  /// ...".
  std::vector<std::string> messages;
};

/// What a part of a campaign did, and why it ended.
struct CampaignEnd {
  enum class Why : uint8_t { kDone, kTime, kBuckets, kStopped, kNoTarget };
  Why why = Why::kDone;
  uint64_t tests = 0;  ///< of this part
  PartResult findings;
  uint64_t checked = 0, references = 0;  ///< references that were checked, and that were to be
  std::vector<Devices::Skipped>
      lost;  ///< targets that tests skipped because they were lost, and lost ones
  /// By target: tests of this part that skipped the target because it hung too often.
  std::map<std::string, uint64_t> skipped_tests;
};

/// Runs the campaign of `setup` with `store` (from OpenStore). Calls `stop` often: if it returns
/// true, the campaign ends in good order, as it does when the time is up. Runs under way are then
/// cut off, the tests under way are discarded, and reductions under way can be continued later.
/// Calls `progress` from one thread now and then. An Error is a fault of the disk or of the
/// machine. The work done until then is in the store.
Result<CampaignEnd> RunCampaign(const CampaignSetup& setup, Store& store,
                                const std::function<bool()>& stop,
                                const std::function<void(const CampaignProgress&)>& progress);

}  // namespace campaign
}  // namespace refract
