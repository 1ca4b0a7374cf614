// SPDX-License-Identifier: Apache-2.0
// Writes files next to the store for people and programs that watch a campaign: stats.json every
// ten seconds, the report every minute, events.jsonl, and junit.xml and report.sarif at the end
// (docs/campaign.md describes them). Also checks which buckets are muted, and which tests dedup
// recommends.
#pragma once

#include <string>

#include "base/result.h"
#include "campaign/campaign.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"

namespace refract {
inline namespace campaign {

inline constexpr char kMutingFile[] = "NOT_INTERESTING";  ///< in the folder of a muted bucket

/// Whether the folder of the bucket, or of its parent bucket, has the file kMutingFile.
bool IsMutedNow(const std::string& out, const Bucket& bucket);

/// The text of junit.xml, which CI systems read: a test case for each bucket (failed, or skipped if
/// the bucket is not a finding) and one for the tests of each target. `out` is the folder of the
/// campaign, whose buckets may have been muted by hand.
Result<std::string> JUnitXml(Store& store, const std::string& out);

/// The text of stats.json. `jobs`: number of tests that run at the same time.
Result<std::string> StatsJson(Store& store, const CampaignProgress& progress, uint32_t jobs,
                              CampaignState state);

/// Runs dedup on all test folders of a campaign, and marks the tests that it recommends.
Status MarkRecommended(Store& store, const std::string& out);

/// Writes these files while a campaign runs.
class Housekeeping {
 public:
  Housekeeping(const CampaignSetup& setup, Store& store) : setup_(setup), store_(store) {}
  /// Repairs events.jsonl after a kill, and adds the event "begin". `now`: how many seconds the
  /// campaign has worked.
  Status Begin(double now);
  /// Call this often. Every ten seconds it writes the files.
  Status Tick(double now, const CampaignProgress& progress);
  /// Writes all files for the last time, and junit.xml and report.sarif.
  Status End(double now, const CampaignProgress& progress);

 private:
  Status Write(double now, const CampaignProgress& progress, CampaignState state);
  Status AppendEvents();
  Status UpdateMuted();
  Status Deduplicate();

  const CampaignSetup& setup_;
  Store& store_;
  int64_t last_event_ = 0;
  double next_ = 0;
  double next_report_ = 0;
  std::ptrdiff_t deduplicated_ = 0;  // number of reduced tests at the last run of dedup
};

}  // namespace campaign
}  // namespace refract
