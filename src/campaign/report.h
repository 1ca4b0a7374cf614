// SPDX-License-Identifier: Apache-2.0
// What a campaign has found, as pages to read in the morning: OUT/report/index.html and a page for
// each bucket. Plain files: no network, no script, from file:// as from a server; pictures stay
// where the test folders have them (docs/campaign.md).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "campaign/store.h"

namespace refract::inline campaign {

inline constexpr char kReportFolder[] = "report";  ///< in OUT

/// All of a store that the report tells.
struct ReportData {
  CampaignInfo info;
  Store::Totals totals;
  std::vector<CampaignTarget> targets;
  std::vector<VerdictCount> verdicts;
  std::vector<Baseline> baselines;  ///< those that are not as they should be
  std::vector<Bucket> buckets;      ///< by first seen
  std::vector<SeenOn> seen;
  /// How many tests failed alike, by stage and signature, before some were told apart.
  std::map<std::pair<std::string, std::string>, uint64_t> alike;
  std::vector<KeptTest> kept;              ///< by bucket, then test
  std::map<uint64_t, CampaignTest> tests;  ///< those that are kept, and the first of buckets
};
/// Whether a bucket is muted, its folder below `out` says.
Result<ReportData> ReadReportData(Store& store, const std::string& out);

/// The page of a bucket: "bucket-12.html".
std::string BucketPageName(const Bucket& bucket);

/// The index; the same data gives the same bytes.
std::string ReportIndex(const ReportData& data);
/// The page of a bucket, with what its test folders below `out` hold.
std::string ReportBucketPage(const ReportData& data, const Bucket& bucket, const std::string& out);

/// Writes all pages; each is renamed to its place, so that somebody may read meanwhile. Pages of
/// buckets that have nothing new are left as they are.
Status WriteReport(Store& store, const std::string& out);

}  // namespace refract::inline campaign
