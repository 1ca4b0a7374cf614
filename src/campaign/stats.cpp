// SPDX-License-Identifier: Apache-2.0
// stats.json: the progress of a campaign.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "campaign/housekeeping.h"
#include "campaign/replaced_buckets.h"

namespace refract {
inline namespace campaign {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json BucketsJson(const BucketCounts& counts) {
  return {{"found", counts.found},
          {"own", counts.own},
          {"known", counts.known},
          {"muted", counts.muted},
          {"counted_only", counts.counted_only}};
}

Json TypesJson(const CampaignCounts& counts) {
  return {{"seen", counts.types},
          {"of", counts.types + counts.missing_types.size()},
          {"missing", counts.missing_types}};
}

Json TargetsJson(const CampaignCounts& counts, const std::vector<VerdictCount>& verdicts) {
  Json targets = Json::object();
  const auto add = [&](const std::string& name) -> Json& {
    Json& target = targets[name];
    if (target.is_null()) {
      target = {{"runs", 0}, {"seconds", 0.0}, {"verdicts", Json::object()}};
    }
    return target;
  };
  for (const TargetCounts& target : counts.targets) {
    Json& json = add(target.name);
    json["failures"] = target.failures;
    json["counted_only"] = target.counted_only;
    json["state"] = TextOf(target.use);
  }
  for (const VerdictCount& count : verdicts) {
    Json& target = add(count.target);
    target["runs"] = target["runs"].get<uint64_t>() + count.count;
    target["seconds"] = target["seconds"].get<double>() + count.seconds;
    target["verdicts"][std::string(TextOf(count.verdict))] = count.count;
  }
  return targets;
}

}  // namespace

Result<std::string> StatsJson(Store& store, const CampaignProgress& progress, uint32_t jobs,
                              CampaignState state) {
  const Result<CampaignInfo> info = store.Info();
  if (!info) return info.error();
  const Result<Store::Totals> totals = store.ReadTotals();
  if (!totals) return totals.error();
  const Result<std::vector<VerdictCount>> verdicts = store.Verdicts();
  if (!verdicts) return verdicts.error();
  const Result<std::vector<Bucket>> buckets = CountedBuckets(store);
  if (!buckets) return buckets.error();
  const BucketCounts groups = CountBuckets(*buckets);
  const CampaignCounts& counts = progress.counts;
  Json json;
  json["state"] = TextOf(state);
  json["version"] = ToolVersion();
  json["seed"] = info->seed;
  json["seconds"] = info->seconds;
  json["part"] = info->parts;
  json["part_seconds"] = progress.seconds;
  json["time_limit"] = OrNull(progress.time_limit);
  json["test_limit"] = OrNull(progress.test_limit);
  json["jobs"] = jobs;
  json["references"] = {{"checked", progress.checked},
                        {"of", progress.references},
                        {"crash_only", counts.crash_only},
                        {"put_aside", counts.put_aside}};
  json["tests"] = totals->tests;
  json["tests_per_second"] = progress.tests_per_second;
  json["tests_per_second_now"] = progress.recent_tests_per_second;
  json["buckets"] = buckets->size();
  json["bucket_groups"] = BucketsJson(groups);
  json["findings"] =
      static_cast<uint64_t>(std::count_if(buckets->begin(), buckets->end(), IsFinding));
  json["own_errors"] = static_cast<uint64_t>(std::count_if(
      buckets->begin(), buckets->end(), [](const Bucket& bucket) { return bucket.own; }));
  json["last_new_bucket"] =
      progress.since_new_bucket < 0 ? Json() : Json(progress.since_new_bucket);
  json["last_new_finding"] =
      groups.last_found < 0 ? Json() : Json(std::max(info->seconds - groups.last_found, 0.0));
  json["waiting_to_be_reduced"] = progress.waiting;
  json["reducing"] = progress.reducing;
  json["reduced"] = counts.reduced;
  json["own_share"] = totals->seconds > 0 ? totals->own_seconds / totals->seconds : 0.0;
  json["transformation_types"] = TypesJson(counts);
  if (counts.coverage) {
    json["coverage"] = {{"rounds", counts.coverage->rounds},
                        {"lines", counts.coverage->lines},
                        {"of", counts.coverage->all_lines},
                        {"new_lines", counts.coverage->new_lines}};
  }
  json["targets"] = TargetsJson(counts, *verdicts);
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace campaign
}  // namespace refract
