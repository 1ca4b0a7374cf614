// SPDX-License-Identifier: Apache-2.0
// The report of a campaign: OUT/report/index.html, and a page for each bucket. The pages are plain
// files that need no network and no scripts, and work from file:// and from a server. Images stay
// in the test folders (docs/report.md).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "campaign/store/store.h"

namespace refract {
inline namespace campaign {

inline constexpr char kReportFolder[] = "report";  ///< in OUT

/// The data of a store that the report shows.
struct ReportData {
  CampaignInfo info;
  Store::Totals totals;
  std::vector<CampaignTarget> targets;
  std::vector<VerdictCount> verdicts;
  std::vector<Baseline> baselines;  ///< those whose state is not kOk
  std::vector<Bucket> buckets;      ///< by first seen
  std::vector<BucketTargetCount> bucket_target_counts;
  /// By stage and signature: how many tests failed, before reductions moved some to sub-buckets.
  std::map<std::pair<std::string, std::string>, uint64_t> tests_by_signature;
  std::vector<KeptTest> kept;              ///< by bucket, then test
  std::map<uint64_t, CampaignTest> tests;  ///< kept tests, and the first test of each bucket
};
/// Reads the data. The folder of a bucket below `out` decides whether the bucket is muted.
Result<ReportData> ReadReportData(Store& store, const std::string& out);

/// The name of the page of a bucket: "bucket-12.html".
std::string BucketPageName(const Bucket& bucket);

/// The text of the index page. The same data gives the same bytes.
std::string ReportIndex(const ReportData& data);
/// The text of the page of a bucket, with the contents of its test folders below `out`.
std::string ReportBucketPage(const ReportData& data, const Bucket& bucket, const std::string& out);

/// Writes all pages. Each page is renamed to its name when it is complete, so that the report can
/// be read at any time. Pages that would not change are left as they are.
Status WriteReport(Store& store, const std::string& out);

}  // namespace campaign
}  // namespace refract
