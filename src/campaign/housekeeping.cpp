// SPDX-License-Identifier: Apache-2.0
#include "campaign/housekeeping.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "campaign/report/report.h"
#include "dedup/ignored_types.h"
#include "dedup/recommend.h"

namespace refract {
inline namespace campaign {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kWriteSeconds = 10;
constexpr double kReportSeconds = 60;

std::string Dump(const Json& json, int indent) {
  return json.dump(indent, ' ', true, Json::error_handler_t::replace);
}

std::string EventsFile(const CampaignSetup& setup) {
  return setup.out + "/events.jsonl";
}

}  // namespace

bool IsMutedNow(const std::string& out, const Bucket& bucket) {
  if (bucket.folder.empty()) return false;
  if (FileExists(format("{}/{}/{}", out, bucket.folder, kMutingFile))) return true;
  if (bucket.sub.empty()) return false;
  const std::string parent = bucket.folder.substr(0, bucket.folder.find_last_of('/'));
  return FileExists(format("{}/{}/{}", out, parent, kMutingFile));
}

Status Housekeeping::Begin(double now) {
  std::string whole;
  if (FileExists(EventsFile(setup_))) {
    Result<std::string> text = ReadFile(EventsFile(setup_));
    if (!text) return text.error();
    // Drop a last line that was cut off by a kill. AppendEvents writes it again.
    whole = text->substr(0, text->find_last_of('\n') + 1);
    if (whole.size() != text->size()) {
      if (Status written = WriteFile(EventsFile(setup_), whole); !written) return written;
    }
  }
  last_event_ = std::count(whole.begin(), whole.end(), '\n');
  const Json event = {{"event", "begin"},
                      {"at", now},
                      {"seed", setup_.seed},
                      {"version", ToolVersion()},
                      {"arguments", setup_.arguments},
                      {"folder", setup_.folder}};
  return store_.AddEvent(now, Dump(event, -1));
}

Status Housekeeping::Tick(double now, const CampaignProgress& progress) {
  if (progress.seconds < next_) return {};
  next_ = progress.seconds + kWriteSeconds;
  if (Status written = Write(now, progress, CampaignState::kRunning); !written) return written;
  if (progress.seconds < next_report_) return {};
  next_report_ = progress.seconds + kReportSeconds;
  if (Status deduplicated = Deduplicate(); !deduplicated) return deduplicated;
  return WriteReport(store_, setup_.out);
}

Status Housekeeping::End(double now, const CampaignProgress& progress) {
  const Json event = {{"event", "end"}, {"at", now}, {"tests", progress.tests}};
  if (Status told = store_.AddEvent(now, Dump(event, -1)); !told) return told;
  if (Status deduplicated = Deduplicate(); !deduplicated) return deduplicated;
  if (Status written = Write(now, progress, CampaignState::kEnded); !written) return written;
  if (Status shown = WriteReport(store_, setup_.out); !shown) return shown;
  return WriteResultFiles(store_, setup_.out);
}

Status Housekeeping::Write(double now, const CampaignProgress& progress, CampaignState state) {
  if (Status set = store_.SetSeconds(now); !set) return set;
  if (Status looked = UpdateMuted(); !looked) return looked;
  if (Status appended = AppendEvents(); !appended) return appended;
  const Result<std::string> stats = StatsJson(store_, progress, setup_.jobs, state);
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
    return Error{format("{}: cannot write: {}", file, std::strerror(errno)), ErrorKind::kFailed};
  }
  last_event_ = events->back().id;
  return {};
}

Status Housekeeping::UpdateMuted() {
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
  const Result<std::vector<KeptTest>> kept = store_.Kept();
  if (!kept) return kept.error();
  const auto with_types = std::count_if(
      kept->begin(), kept->end(), [](const KeptTest& one) { return HasReduction(one.state); });
  if (with_types == std::exchange(deduplicated_, with_types)) return {};
  return MarkRecommended(store_, setup_.out);
}

Status MarkRecommended(Store& store, const std::string& out) {
  const std::string folder = out + "/buckets";
  if (!FileExists(folder)) return {};
  const Result<DedupTests> tests = FindTests(folder);
  if (!tests) return tests.error();
  Result<std::set<std::string>> ignored =
      ParseIgnoredTypes("(built in) ignored.txt", kIgnoredTypes);
  if (!ignored) return ignored.error();
  DedupOptions options;
  options.order = DedupOrder::kFurthest;
  options.ignored = std::move(*ignored);
  std::set<std::string> recommended;
  for (const Recommendation& one : Recommend(tests->tests, options)) {
    recommended.insert(tests->tests[one.test].path);
  }
  const Result<std::vector<KeptTest>> kept = store.Kept();
  if (!kept) return kept.error();
  for (const KeptTest& one : *kept) {
    const bool now = !one.folder.empty() && recommended.contains(format("{}/{}", out, one.folder));
    if (now == one.recommended) continue;
    if (Status set = store.SetRecommended(one.id, now); !set) return set;
  }
  return {};
}

}  // namespace campaign
}  // namespace refract
