// SPDX-License-Identifier: Apache-2.0
#include "campaign/report/report.h"

#include <set>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "campaign/housekeeping.h"
#include "campaign/merge.h"
#include "campaign/replaced_buckets.h"

namespace refract {
inline namespace campaign {
namespace {

// Leaves a page that would not change as it is, so that the time of the file shows when it changed.
Status WriteIfNew(const std::string& path, const std::string& text) {
  const Result<std::string> there = ReadFile(path);
  if (there && *there == text) return {};
  return WriteFile(path, text);
}

}  // namespace

Result<ReportData> ReadReportData(Store& store, const std::string& out) {
  ReportData data;
  Result<CampaignInfo> info = store.Info();
  if (!info) return info.error();
  data.info = std::move(*info);
  const Result<Store::Totals> totals = store.ReadTotals();
  if (!totals) return totals.error();
  data.totals = *totals;
  Result<std::vector<CampaignTarget>> targets = store.Targets();
  if (!targets) return targets.error();
  data.targets = std::move(*targets);
  Result<std::vector<VerdictCount>> verdicts = store.Verdicts();
  if (!verdicts) return verdicts.error();
  data.verdicts = std::move(*verdicts);
  Result<std::vector<Baseline>> baselines = store.Baselines();
  if (!baselines) return baselines.error();
  for (Baseline& baseline : *baselines) {
    if (baseline.state != BaselineState::kOk) data.baselines.push_back(std::move(baseline));
  }
  Result<std::vector<Bucket>> buckets = store.Buckets();
  if (!buckets) return buckets.error();
  data.buckets = std::move(*buckets);
  for (Bucket& bucket : data.buckets) {
    if (!StaysInside(bucket.folder)) bucket.folder.clear();
    bucket.muted = IsMutedNow(out, bucket);
  }
  Result<std::vector<BucketTargetCount>> seen = store.BucketTargetCounts();
  if (!seen) return seen.error();
  data.bucket_target_counts = std::move(*seen);
  Result<std::vector<KeptTest>> kept = store.Kept();
  if (!kept) return kept.error();
  data.kept = std::move(*kept);
  std::set<uint64_t> named;
  for (KeptTest& one : data.kept) {
    if (!StaysInside(one.folder)) one.folder.clear();
    named.insert(one.test);
  }
  for (const Bucket& bucket : data.buckets) named.insert(bucket.first_test);
  for (const uint64_t index : named) {
    Result<CampaignTest> test = store.Test(index);
    if (!test) return test.error();
    data.tests.emplace(index, std::move(*test));
  }
  for (const Bucket& bucket : data.buckets) {
    if (bucket.sub.empty()) {
      data.tests_by_signature[{bucket.stage, bucket.signature}] = bucket.count;
    }
  }
  RemoveReplacedBuckets(data.kept, &data.buckets);
  return data;
}

std::string BucketPageName(const Bucket& bucket) {
  return format("bucket-{}.html", bucket.id);
}

Status WriteReport(Store& store, const std::string& out) {
  const Result<ReportData> data = ReadReportData(store, out);
  if (!data) return data.error();
  const std::string folder = format("{}/{}", out, kReportFolder);
  if (Status made = MakeFolder(folder); !made) return made;
  for (const Bucket& bucket : data->buckets) {
    Status written = WriteIfNew(format("{}/{}", folder, BucketPageName(bucket)),
                                ReportBucketPage(*data, bucket, out));
    if (!written) return written;
  }
  return WriteIfNew(format("{}/index.html", folder), ReportIndex(*data));
}

}  // namespace campaign
}  // namespace refract
