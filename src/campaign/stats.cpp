// SPDX-License-Identifier: Apache-2.0
// stats.json: the progress of a campaign.
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "campaign/housekeeping.h"
#include "campaign/replaced_buckets.h"

namespace refract {
inline namespace campaign {
namespace {

using Json = nlohmann::ordered_json;

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
  Json json;
  json["state"] = TextOf(state);
  json["version"] = ToolVersion();
  json["seed"] = info->seed;
  json["seconds"] = info->seconds;
  json["part"] = info->parts;
  json["jobs"] = jobs;
  json["references"] = {{"checked", progress.checked}, {"of", progress.references}};
  json["tests"] = totals->tests;
  json["tests_per_second"] = progress.tests_per_second;
  uint64_t findings = 0, own = 0;
  for (const Bucket& bucket : *buckets) {
    findings += IsFinding(bucket);
    own += bucket.own;
  }
  json["buckets"] = buckets->size();
  json["findings"] = findings;
  json["own_errors"] = own;
  json["last_new_bucket"] =
      progress.since_new_bucket < 0 ? Json() : Json(progress.since_new_bucket);
  json["waiting_to_be_reduced"] = progress.waiting;
  json["own_share"] = totals->seconds > 0 ? totals->own_seconds / totals->seconds : 0.0;
  Json targets = Json::object();
  for (const VerdictCount& count : *verdicts) {
    Json& target = targets[count.target];
    if (target.is_null()) target = {{"runs", 0}, {"seconds", 0.0}, {"verdicts", Json::object()}};
    target["runs"] = target["runs"].get<uint64_t>() + count.count;
    target["seconds"] = target["seconds"].get<double>() + count.seconds;
    target["verdicts"][std::string(TextOf(count.verdict))] = count.count;
  }
  json["targets"] = targets;
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace campaign
}  // namespace refract
