// SPDX-License-Identifier: Apache-2.0
#include "campaign/housekeeping.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "campaign/report.h"
#include "dedup/ignored_types.h"
#include "dedup/recommend.h"

namespace refract {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kEvery = 10;
constexpr double kReportEvery = 60;

std::string Dump(const Json& json, int indent) {
  return json.dump(indent, ' ', true, Json::error_handler_t::replace);
}

std::string EventsFile(const CampaignSetup& setup) {
  return setup.out + "/events.jsonl";
}

// Every test is looked at with what the others of its target show.
Status SetRecommended(Store& store, const std::string& out, const std::vector<KeptTest>& kept,
                      const DedupTests& tests, const std::vector<Recommendation>& chosen) {
  std::set<std::string> recommended;
  for (const Recommendation& one : chosen) recommended.insert(tests.tests[one.test].path);
  for (KeptTest one : kept) {
    if (one.folder.empty()) continue;
    const bool now = recommended.count(format("{}/{}", out, one.folder)) != 0;
    if (now == one.recommended) continue;
    one.recommended = now;
    if (Status set = store.UpdateKept(one); !set) return set;
  }
  return {};
}

}  // namespace

bool IsMutedNow(const std::string& out, const Bucket& bucket) {
  if (bucket.folder.empty()) return false;
  if (FileExists(format("{}/{}/{}", out, bucket.folder, kMutingFile))) return true;
  if (bucket.sub.empty()) return false;
  const std::string parent = bucket.folder.substr(0, bucket.folder.find_last_of('/'));
  return FileExists(format("{}/{}/{}", out, parent, kMutingFile));
}

Result<std::string> StatsJson(const CampaignSetup& setup, Store& store,
                              const CampaignProgress& progress, const std::string& state) {
  const Result<CampaignInfo> info = store.Info();
  if (!info) return info.error();
  const Result<Store::Totals> totals = store.Sum();
  if (!totals) return totals.error();
  const Result<std::vector<VerdictCount>> verdicts = store.Verdicts();
  if (!verdicts) return verdicts.error();
  const Result<std::vector<Bucket>> buckets = store.Buckets();
  if (!buckets) return buckets.error();
  Json json;
  json["state"] = state;
  json["version"] = ToolVersion();
  json["seed"] = setup.seed;
  json["seconds"] = info->seconds;
  json["part"] = info->parts;
  json["jobs"] = setup.jobs;
  json["references"] = {{"checked", progress.checked}, {"of", progress.references}};
  json["tests"] = totals->tests;
  json["tests_per_second"] = progress.tests_per_second;
  uint64_t all = 0, findings = 0, own = 0;
  for (const Bucket& bucket : *buckets) {
    if (!bucket.sub.empty()) continue;
    ++all;
    findings += IsFinding(bucket);
    own += bucket.own;
  }
  json["buckets"] = all;
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
    target["verdicts"][count.verdict] = count.count;
  }
  json["targets"] = targets;
  return Dump(json, 2) + "\n";
}

Status Housekeeping::Begin(double now) {
  std::string whole;
  if (FileExists(EventsFile(setup_))) {
    Result<std::string> text = ReadFile(EventsFile(setup_));
    if (!text) return text.error();
    // A line that a kill cut off is written again.
    whole = text->substr(0, text->find_last_of('\n') + 1);
    if (whole.size() != text->size()) {
      if (Status written = WriteFile(EventsFile(setup_), whole); !written) return written;
    }
  }
  last_event_ = std::count(whole.begin(), whole.end(), '\n');
  const Json event = {
      {"event", "begin"}, {"at", now}, {"seed", setup_.seed}, {"version", ToolVersion()}};
  return store_.AddEvent(now, Dump(event, -1));
}

Status Housekeeping::Tick(double now, const CampaignProgress& progress) {
  if (progress.seconds < next_) return {};
  next_ = progress.seconds + kEvery;
  if (Status written = Write(now, progress, "running"); !written) return written;
  if (progress.seconds < next_report_) return {};
  next_report_ = progress.seconds + kReportEvery;
  return WriteReport(store_, setup_.out);
}

Status Housekeeping::End(double now, const CampaignProgress& progress) {
  const Json event = {{"event", "end"}, {"at", now}, {"tests", progress.tests}};
  if (Status told = store_.AddEvent(now, Dump(event, -1)); !told) return told;
  if (Status deduplicated = Deduplicate(); !deduplicated) return deduplicated;
  if (Status written = Write(now, progress, "ended"); !written) return written;
  if (Status shown = WriteReport(store_, setup_.out); !shown) return shown;
  const Result<std::string> xml = JUnitXml(store_);
  if (!xml) return xml.error();
  return WriteFile(setup_.out + "/junit.xml", *xml);
}

Status Housekeeping::Write(double now, const CampaignProgress& progress, const std::string& state) {
  if (Status set = store_.SetSeconds(now); !set) return set;
  if (Status looked = LookForMuted(); !looked) return looked;
  if (Status appended = AppendEvents(); !appended) return appended;
  const Result<std::string> stats = StatsJson(setup_, store_, progress, state);
  if (!stats) return stats.error();
  return WriteFile(setup_.out + "/stats.json", *stats);
}

Status Housekeeping::AppendEvents() {
  const Result<std::vector<CampaignEvent>> events = store_.Events(last_event_);
  if (!events) return events.error();
  if (events->empty()) return {};
  std::string text;
  for (const CampaignEvent& event : *events) text += event.json + "\n";
  const std::string file = EventsFile(setup_);
  std::FILE* out = std::fopen(file.c_str(), "ab");
  const bool written =
      out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool closed = out != nullptr && std::fclose(out) == 0;
  if (!written || !closed) {
    return Error{format("{}: cannot write: {}", file, std::strerror(errno))};
  }
  last_event_ = events->back().id;
  return {};
}

Status Housekeeping::LookForMuted() {
  const Result<std::vector<Bucket>> buckets = store_.Buckets();
  if (!buckets) return buckets.error();
  for (const Bucket& bucket : *buckets) {
    const bool muted = IsMutedNow(setup_.out, bucket);
    if (muted == bucket.muted) continue;
    if (Status set = store_.SetMuted(bucket.id, muted); !set) return set;
  }
  return {};
}

Status Housekeeping::Deduplicate() {
  const std::string folder = setup_.out + "/buckets";
  if (!FileExists(folder)) return {};
  const Result<DedupTests> tests = FindTests(folder);
  if (!tests) return tests.error();
  Result<std::set<std::string>> ignored =
      ParseIgnoredTypes("(built in) ignored.txt", kIgnoredTypes);
  if (!ignored) return ignored.error();
  DedupOptions options;
  options.order = DedupOrder::kFurthest;
  options.ignored = std::move(*ignored);
  const Result<std::vector<KeptTest>> kept = store_.Kept();
  if (!kept) return kept.error();
  return SetRecommended(store_, setup_.out, *kept, *tests, Recommend(tests->tests, options));
}

}  // namespace refract
