// SPDX-License-Identifier: Apache-2.0
// What a campaign writes beside its store, for people and machines that watch it: stats.json every
// ten seconds, the report every minute, events.jsonl, junit.xml at the end (docs/campaign.md has
// their forms); and what it looks at as it goes: who muted a bucket, which tests dedup recommends.
#pragma once

#include <string>

#include "base/result.h"
#include "campaign/campaign.h"
#include "campaign/setup.h"
#include "campaign/store.h"

namespace refract::inline campaign {

inline constexpr char kMutingFile[] = "NOT_INTERESTING";  ///< in a bucket's folder

/// Whether somebody muted the bucket, or that of all with its signature.
bool IsMutedNow(const std::string& out, const Bucket& bucket);

/// One test case for each bucket (a failure, or skipped if it is no finding) and one for the tests
/// of each target: what CI systems read.
Result<std::string> JUnitXml(Store& store);

/// What stats.json says. `jobs`: tests at the same time.
Result<std::string> StatsJson(Store& store, const CampaignProgress& progress, uint32_t jobs,
                              const std::string& state);

/// Has dedup look at all test folders of a campaign, and marks those that it recommends.
Status MarkRecommended(Store& store, const std::string& out);

class Housekeeping {
 public:
  Housekeeping(const CampaignSetup& setup, Store& store) : setup_(setup), store_(store) {}
  /// Puts events.jsonl right, whatever a kill left of it. `now`: seconds of the campaign.
  Status Begin(double now);
  /// To be called often; does something every ten seconds.
  Status Tick(double now, const CampaignProgress& progress);
  Status End(double now, const CampaignProgress& progress);

 private:
  Status Write(double now, const CampaignProgress& progress, const std::string& state);
  Status AppendEvents();
  Status LookForMuted();
  Status Deduplicate();

  const CampaignSetup& setup_;
  Store& store_;
  int64_t last_event_ = 0;
  double next_ = 0;
  double next_report_ = 0;
  std::ptrdiff_t deduplicated_ = 0;  // tests that were reduced when dedup last looked
};

}  // namespace refract::inline campaign
