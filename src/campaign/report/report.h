// SPDX-License-Identifier: Apache-2.0
// The report of a campaign: OUT/report/index.html, and a page for each bucket. The pages are plain
// files that need no network, and work from file:// and from a server. They show everything without
// their scripts, which add a filter and a slider. Images stay in the test folders (docs/report.md).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "campaign/counts.h"
#include "campaign/store/store.h"

namespace refract {
inline namespace campaign {

inline constexpr char kReportFolder[] = "report";  ///< in OUT

/// Into how many equal intervals the charts divide the time of the campaign.
inline constexpr uint32_t kReportIntervals = 48;

/// The data of a store that the report shows.
struct ReportData {
  CampaignInfo info;
  Store::Totals totals;
  std::optional<CoverageCount> coverage;  ///< ReadCoverageCount
  std::vector<CampaignTarget> targets;
  std::vector<VerdictCount> verdicts;
  std::vector<Baseline> baselines;                   ///< those whose state is not kOk
  std::vector<CampaignReference> unused_references;  ///< IsPutAside
  std::vector<Bucket> buckets;                       ///< by first seen
  std::vector<Bucket> replaced;  ///< parent buckets that their sub-buckets replace
  std::vector<BucketTargetCount> bucket_target_counts;
  /// By id of a sub-bucket: the ids of the buckets in which its kept tests began.
  std::map<int64_t, std::set<int64_t>> parents;
  std::vector<KeptTest> kept;              ///< by bucket, then test
  std::map<uint64_t, CampaignTest> tests;  ///< kept tests, and the first test of each bucket
  std::vector<IntervalCount> over_time;    ///< kReportIntervals, or empty
};
/// Reads the data. The folder of a bucket below `out` decides whether the bucket is muted.
Result<ReportData> ReadReportData(Store& store, const std::string& out);

/// A short hash of stage, signature and sub. It is the same in all states of a bucket, with any
/// number of jobs, after a merge, and for the same bug in another campaign.
std::string BucketHash(const Bucket& bucket);
/// The name of the page of a bucket: "bucket-0c1d2e3f4a5b.html", with BucketHash.
std::string BucketPageName(const Bucket& bucket);

/// The text of the index page. The same data gives the same bytes.
std::string ReportIndex(const ReportData& data);
/// The text of the page of a bucket, with the contents of its test folders below `out`.
std::string ReportBucketPage(const ReportData& data, const Bucket& bucket, const std::string& out);

/// Writes all pages. Each page is renamed to its name when it is complete, so that the report can
/// be read at any time. Pages that would not change are left as they are.
Status WriteReport(Store& store, const std::string& out);

/// The text of report.sarif (SARIF 2.1.0), for code hosts: a rule for each signature, and a result
/// for each bucket that is a finding, known or muted; known and muted ones are suppressed. Faults
/// of Refract are notifications. Paths are relative to the folder of the campaign. The same data
/// gives the same bytes.
std::string SarifText(const ReportData& data);

/// Writes what other programs read at the end of a campaign: junit.xml and report.sarif.
Status WriteResultFiles(Store& store, const std::string& out);

}  // namespace campaign
}  // namespace refract
