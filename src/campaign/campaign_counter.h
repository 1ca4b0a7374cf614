// SPDX-License-Identifier: Apache-2.0
// Counts what a campaign does, for its live status and stats.json. Tests are counted when they are
// stored, so that no status has to read all outcomes from the store.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/result.h"
#include "campaign/campaign.h"
#include "campaign/counts.h"
#include "campaign/hangs.h"
#include "campaign/store/store.h"

namespace refract {
inline namespace campaign {

/// Counts while a campaign runs. Several threads may use it at once.
class CampaignCounter {
 public:
  explicit CampaignCounter(Store& store) : store_(store) {}

  /// Counts the tests that the store has already.
  Status Begin();
  /// Counts one more test.
  void AddTest(const CampaignTest& test);
  /// Sets the members of `progress` that the store determines. What is not counted by AddTest is
  /// read from the store, at most once a second (`last`: in any case). Call this often: it also
  /// finds how many tests there were in the last minute.
  Status Complete(CampaignProgress* progress, const Hangs& hangs, bool last = false);
  /// The counts. `now`: of a clock, in seconds. `checked`: the number of references that were
  /// checked; references are read again only if it changed.
  Result<CampaignCounts> Counts(double now, uint64_t checked);

 private:
  Status ReadBuckets();
  Status ReadReferences();
  Status ReadEvents();
  Status ReadStore();
  void Forget();
  double TestsPerSecond(double now);

  Store& store_;
  std::mutex mutex_;  // protects the members below
  std::map<std::string, TargetCounts> targets_;
  std::set<std::string> types_;
  uint64_t tests_ = 0;                              // that AddTest counted
  std::deque<std::pair<double, uint64_t>> minute_;  // clock and tests_, each second
  CampaignCounts last_;
  std::set<std::string> without_reference_;  // targets
  std::optional<double> read_at_;
  std::optional<uint64_t> checked_;
  int64_t last_event_ = 0;
};

/// The counts of a store that nobody counted along.
Result<CampaignCounts> CountCampaign(Store& store);

}  // namespace campaign
}  // namespace refract
