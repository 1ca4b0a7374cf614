// SPDX-License-Identifier: Apache-2.0
#include "campaign/status.h"

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "campaign/campaign_counter.h"
#include "campaign/folder_lock.h"
#include "input/json_text.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr uint64_t kMaxStats = uint64_t{1} << 24;
constexpr double kMaxNumber = 1e15;

// A number of stats.json; nullopt if there is none, or none that a campaign writes.
std::optional<double> NumberAt(const JsonNode& json, std::string_view key) {
  const JsonNode* node = json.Find(key);
  if (node == nullptr) return std::nullopt;
  double value = -1;
  if (node->kind == JsonNode::Kind::kInteger) value = static_cast<double>(node->integer);
  if (node->kind == JsonNode::Kind::kReal) value = std::strtod(node->text.c_str(), nullptr);
  if (value >= 0 && value < kMaxNumber) return value;
  return std::nullopt;
}

template <class Number>
void Take(const JsonNode& json, std::string_view key, Number* number) {
  if (const std::optional<double> value = NumberAt(json, key))
    *number = static_cast<Number>(*value);
}

std::string TextAt(const JsonNode& json, std::string_view key) {
  const JsonNode* node = json.Find(key);
  return node != nullptr && node->kind == JsonNode::Kind::kString ? node->text : std::string();
}

// Takes what the store does not have.
void TakeStats(const JsonNode& json, CampaignStatus* status) {
  CampaignProgress& progress = status->progress;
  Take(json, "jobs", &status->jobs);
  Take(json, "part_seconds", &progress.seconds);
  progress.time_limit = NumberAt(json, "time_limit");
  if (json.Find("test_limit") != nullptr && NumberAt(json, "test_limit")) {
    Take(json, "test_limit", &progress.test_limit.emplace());
  }
  if (const JsonNode* references = json.Find("references"); references != nullptr) {
    Take(*references, "checked", &progress.checked);
    Take(*references, "of", &progress.references);
  }
  Take(json, "tests_per_second", &progress.tests_per_second);
  Take(json, "tests_per_second_now", &progress.recent_tests_per_second);
  Take(json, "waiting_to_be_reduced", &progress.waiting);
  Take(json, "reducing", &progress.reducing);
  const JsonNode* targets = json.Find("targets");
  for (TargetCounts& target : progress.counts.targets) {
    const JsonNode* one = targets == nullptr ? nullptr : targets->Find(target.name);
    if (one != nullptr) FromText(TextAt(*one, "state"), &target.use);
  }
}

CampaignStatus::State StateOf(const std::string& state, const std::string& folder) {
  if (state == TextOf(CampaignState::kEnded)) return CampaignStatus::State::kEnded;
  if (state == TextOf(CampaignState::kMerged)) return CampaignStatus::State::kMerged;
  return FolderLock::IsTaken(folder) ? CampaignStatus::State::kRunning
                                     : CampaignStatus::State::kKilled;
}

}  // namespace

Result<CampaignStatus> ReadStatus(const std::string& folder) {
  const std::string store_path = format("{}/{}", folder, kStoreFile);
  if (!FileExists(store_path))
    return Error{format("{}: no such file, so this is not the folder of a campaign (its --out)",
                        store_path)};
  const std::string path = format("{}/{}", folder, kStatsFile);
  const Result<std::string> text = ReadFile(path, kMaxStats);
  if (!text) return text.error();
  const Result<JsonNode> json = ParseJson(path, *text);
  if (!json) return json.error();
  // Even a reader may make files next to the store, so it is opened last.
  Result<Store> store = Store::Read(store_path);
  if (!store) return store.error();
  CampaignStatus status;
  status.folder = folder;
  CampaignProgress& progress = status.progress;
  Result<CampaignCounts> counts = CountCampaign(*store);
  if (!counts) return counts.error();
  progress.counts = std::move(*counts);
  const Result<CampaignInfo> info = store->Info();
  if (!info) return info.error();
  progress.seconds = progress.all_seconds = info->seconds;
  const Result<Store::Totals> totals = store->ReadTotals();
  if (!totals) return totals.error();
  progress.tests = totals->tests;
  TakeStats(*json, &status);
  status.state = StateOf(TextAt(*json, "state"), folder);
  progress.phase =
      progress.checked < progress.references ? CampaignPhase::kReferences : CampaignPhase::kTests;
  return status;
}

}  // namespace campaign
}  // namespace refract
