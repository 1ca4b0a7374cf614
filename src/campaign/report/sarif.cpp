// SPDX-License-Identifier: Apache-2.0
// report.sarif: the findings of a campaign in the form that code hosts read (SARIF 2.1.0, OASIS).
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/text.h"
#include "campaign/report/html.h"
#include "campaign/report/report.h"
#include "campaign/report/report_page.h"

namespace refract {
inline namespace campaign {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kBase[] = "CAMPAIGN";  // the folder of the campaign, in originalUriBaseIds

Json Message(const std::string& text) {
  return {{"text", text}};
}

std::string CommaList(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

Json LocationOf(const std::string& path) {
  const Json artifact = {{"uri", EscapeUrlPath(path)}, {"uriBaseId", kBase}};
  return {
      {"physicalLocation", {{"artifactLocation", artifact}, {"region", {{"startLine", 1}}}}},
  };
}

// A rule for each signature. Sub-buckets of wrong outputs have a rule in common.
class Rules {
 public:
  size_t IndexOf(const Bucket& bucket) {
    const auto [place, fresh] = places_.emplace(bucket.signature, rules_.size());
    if (fresh) {
      rules_.push_back({
          {"id", bucket.signature},
          {"shortDescription", Message(format("{}: {}", bucket.stage, TextOf(bucket.verdict)))},
          {"fullDescription", Message(bucket.signature)},
          {"help", Message("`refract repeat FOLDER` runs the failure again. FOLDER is the folder "
                           "of the file that is the location of the result.")},
          {"defaultConfiguration", {{"level", "error"}}},
          {"properties", {{"tags", Json::array({TextOf(bucket.verdict)})}}},
      });
    }
    return place->second;
  }
  const Json& rules() const { return rules_; }

 private:
  Json rules_ = Json::array();
  std::map<std::string, size_t> places_;
};

// Code hosts recognise the result of an earlier campaign by this hash; GitHub reads only the first.
Json FingerprintsOf(const Bucket& bucket) {
  const std::string hash = BucketHash(bucket);
  return {{"primaryLocationLineHash", hash + ":1"}, {"refractBucket/v1", hash}};
}

// A known or muted bucket is a result that somebody has accepted. A finding has an empty list.
Json SuppressionsOf(const Bucket& bucket) {
  Json suppressions = Json::array();
  const auto add = [&](const std::string& why) {
    suppressions.push_back({{"kind", "external"}, {"status", "accepted"}, {"justification", why}});
  };
  if (!bucket.known.empty()) add("known issue: " + bucket.known);
  if (bucket.muted) add("muted");
  return suppressions;
}

Json ResultOf(const ReportData& data, const Bucket& bucket, Rules* rules) {
  const std::vector<std::string> targets = TargetsOf(data, bucket);
  const KeptTest* best = BestKept(data, bucket);
  std::string text =
      format("{}. {}, first: {}", bucket.signature, CountText(data, bucket), FirstTestText(bucket));
  if (!targets.empty()) text += format("; seen on {}", CommaList(targets));
  if (best != nullptr && !best->blame.empty()) text += format("; blame: {}", best->blame);
  Json result = {
      {"ruleId", bucket.signature},
      {"ruleIndex", rules->IndexOf(bucket)},
      {"level", "error"},
      {"message", Message(text)},
  };
  // Without a test folder, the page of the bucket is the place to look at.
  const std::string page = format("{}/{}", kReportFolder, BucketPageName(bucket));
  result["locations"] =
      Json::array({LocationOf(best != nullptr ? best->folder + "/README.md" : page)});
  size_t begin = 0;
  const size_t end = KeptOf(data, bucket, &begin);
  for (size_t i = begin; i < end; ++i) {
    const KeptTest& kept = data.kept[i];
    if (&kept == best || kept.folder.empty()) continue;
    result["relatedLocations"].push_back(LocationOf(kept.folder + "/README.md"));
  }
  result["partialFingerprints"] = FingerprintsOf(bucket);
  result["occurrenceCount"] = std::max<uint64_t>(bucket.count, 1);
  result["suppressions"] = SuppressionsOf(bucket);
  result["properties"] = {{"stage", bucket.stage}, {"targets", targets}, {"page", page}};
  if (!bucket.sub.empty()) result["properties"]["steps"] = bucket.sub;
  return result;
}

// A fault of Refract is no result, but something that went wrong with the tool.
Json NotificationOf(const Bucket& bucket) {
  return {{"level", "error"},
          {"message", Message(format("{}: {}, first: {}", bucket.signature,
                                     Counted(bucket.count, "test"), FirstTestText(bucket)))}};
}

}  // namespace

std::string SarifText(const ReportData& data) {
  Rules rules;
  Json results = Json::array(), notifications = Json::array(), targets = Json::array();
  for (const Bucket& bucket : data.buckets) {
    switch (GroupOf(bucket)) {
      case ReportGroup::kCounted:
        break;
      case ReportGroup::kOwn:
        notifications.push_back(NotificationOf(bucket));
        break;
      default:
        results.push_back(ResultOf(data, bucket, &rules));
    }
  }
  for (const CampaignTarget& target : data.targets) {
    targets.push_back({{"name", target.name}, {"kind", target.kind}, {"version", target.version}});
  }
  const Json driver = {{"name", "Refract"},
                       {"version", data.info.tool},
                       {"semanticVersion", data.info.tool},
                       {"rules", rules.rules()}};
  const Json invocation = {{"executionSuccessful", notifications.empty()},
                           {"toolExecutionNotifications", notifications}};
  const Json run = {
      {"tool", {{"driver", driver}}},
      {"invocations", Json::array({invocation})},
      {"originalUriBaseIds",
       {{kBase, {{"description", Message("the folder of the campaign, its option --out")}}}}},
      {"results", results},
      {"columnKind", "unicodeCodePoints"},
      {"properties",
       {{"seed", data.info.seed}, {"tests", data.totals.tests}, {"targets", targets}}},
  };
  const Json sarif = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({run})}};
  return sarif.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace campaign
}  // namespace refract
