// SPDX-License-Identifier: Apache-2.0
#include "campaign/report/report.h"

#include <set>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
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

// A kept test began in the bucket of the outcome of its test.
std::map<int64_t, std::set<int64_t>> ParentsOf(const ReportData& data) {
  std::map<int64_t, std::set<int64_t>> parents;
  for (const KeptTest& kept : data.kept) {
    const auto test = data.tests.find(kept.test);
    if (test == data.tests.end()) continue;
    for (const Outcome& outcome : test->second.outcomes) {
      if (outcome.target != kept.target || outcome.bucket == 0 || outcome.bucket == kept.bucket) {
        continue;
      }
      parents[kept.bucket].insert(outcome.bucket);
    }
  }
  return parents;
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
  const Result<std::optional<CoverageCount>> coverage = ReadCoverageCount(store);
  if (!coverage) return coverage.error();
  data.coverage = *coverage;
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
  Result<std::vector<CampaignReference>> references = store.References();
  if (!references) return references.error();
  for (CampaignReference& reference : *references) {
    if (IsPutAside(reference.stability)) data.unused_references.push_back(std::move(reference));
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
  data.parents = ParentsOf(data);
  data.replaced = RemoveReplacedBuckets(data.kept, &data.buckets);
  Result<std::vector<IntervalCount>> over_time = store.TestsOverTime(kReportIntervals);
  if (!over_time) return over_time.error();
  data.over_time = std::move(*over_time);
  return data;
}

std::string BucketHash(const Bucket& bucket) {
  const char separator = '\0';
  const std::string key = bucket.stage + separator + bucket.signature + separator + bucket.sub;
  return ContentHash(key).substr(0, 12);
}

std::string BucketPageName(const Bucket& bucket) {
  return format("bucket-{}.html", BucketHash(bucket));
}

Status WriteReport(Store& store, const std::string& out) {
  const Result<ReportData> data = ReadReportData(store, out);
  if (!data) return data.error();
  const std::string folder = format("{}/{}", out, kReportFolder);
  if (Status made = MakeFolder(folder); !made) return made;
  for (const std::vector<Bucket>* buckets : {&data->buckets, &data->replaced}) {
    for (const Bucket& bucket : *buckets) {
      Status written = WriteIfNew(format("{}/{}", folder, BucketPageName(bucket)),
                                  ReportBucketPage(*data, bucket, out));
      if (!written) return written;
    }
  }
  return WriteIfNew(format("{}/index.html", folder), ReportIndex(*data));
}

Status WriteResultFiles(Store& store, const std::string& out) {
  const Result<std::string> xml = JUnitXml(store, out);
  if (!xml) return xml.error();
  if (Status written = WriteFile(out + "/junit.xml", *xml); !written) return written;
  const Result<ReportData> data = ReadReportData(store, out);
  if (!data) return data.error();
  return WriteFile(out + "/report.sarif", SarifText(*data));
}

}  // namespace campaign
}  // namespace refract
