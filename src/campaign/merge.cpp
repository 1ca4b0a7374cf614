// SPDX-License-Identifier: Apache-2.0
#include "campaign/merge.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/file.h"
#include "base/text.h"
#include "campaign/campaign_counter.h"
#include "campaign/housekeeping.h"
#include "campaign/original_tests.h"
#include "campaign/report/report.h"
#include "campaign/setup.h"

namespace refract {
inline namespace campaign {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kShardKey[] = "shard";

// What identifies a bucket in all stores of one campaign.
// Stage, signature, sub. One of the last two is empty: sub-buckets of several signatures are one.
using BucketKey = std::tuple<std::string, std::string, std::string>;
BucketKey KeyOf(const Bucket& bucket) {
  return {bucket.stage, bucket.sub.empty() ? bucket.signature : std::string(), bucket.sub};
}

// The campaign in one of the folders.
struct ShardCampaign {
  std::string folder;
  Store store;
  CampaignInfo info;
  std::map<BucketKey, Bucket> buckets;
  std::map<int64_t, BucketKey> keys;  // by the id of the bucket
  /// Kept tests by test and target. A test has one outcome on a target.
  std::map<std::pair<uint64_t, std::string>, KeptTest> kept;
};

// Refuses a path `below`, relative to `folder`, that goes through a symbolic link: a link may lead
// to files outside the shard.
Status RefuseLinks(const std::string& folder, const std::string& below) {
  fs::path path = folder;
  for (const fs::path& part : fs::path(below)) {
    path /= part;
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) continue;
    return Error{
        format("{}: symbolic link; merge copies only files inside the shard", path.string())};
  }
  return {};
}

Result<ShardCampaign> ReadShard(const std::string& folder) {
  if (Status own = RefuseLinks(folder, kStoreFile); !own) return own.error();
  const std::string path = format("{}/{}", folder, kStoreFile);
  Result<Store> store = Store::Read(path);
  if (!store) return store.error();
  ShardCampaign shard{folder, std::move(*store), {}, {}, {}, {}};
  Result<CampaignInfo> info = shard.store.Info();
  if (!info) return info.error();
  shard.info = std::move(*info);
  Result<std::vector<Bucket>> buckets = shard.store.Buckets();
  if (!buckets) return buckets.error();
  for (Bucket& bucket : *buckets) {
    shard.keys[bucket.id] = KeyOf(bucket);
    shard.buckets.emplace(KeyOf(bucket), std::move(bucket));
  }
  Result<std::vector<KeptTest>> kept = shard.store.Kept();
  if (!kept) return kept.error();
  for (KeptTest& one : *kept) {
    if (!shard.keys.contains(one.bucket)) continue;
    const std::pair by(one.test, one.target);
    shard.kept.emplace(by, std::move(one));
  }
  return shard;
}

// What the shard kept of the test for the bucket of its outcome on this target; null if nothing.
// One target of the bucket was kept, and a reduction may have moved it to another bucket.
const KeptTest* KeptOf(const ShardCampaign& shard, const CampaignTest& test,
                       const std::string& target) {
  const auto on = std::find_if(test.outcomes.begin(), test.outcomes.end(),
                               [&](const Outcome& outcome) { return outcome.target == target; });
  if (on == test.outcomes.end()) return nullptr;
  for (const Outcome& outcome : test.outcomes) {
    const auto found = shard.kept.find({test.index, outcome.target});
    if (outcome.bucket == on->bucket && found != shard.kept.end()) return &found->second;
  }
  return nullptr;
}

// The options with shard 1/1: they are equal for all shards of a campaign.
std::string WholeOptions(const std::string& options) {
  Json json = Json::parse(options, nullptr, false);
  if (!json.is_object()) return options;
  if (json.contains(kShardKey)) json[kShardKey] = "1/1";
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// The option `keep`: how many tests of a bucket are kept.
uint32_t KeptPerBucket(const std::string& options) {
  const Json json = Json::parse(options, nullptr, false);
  if (!json.is_object() || !json.contains("keep") || !json["keep"].is_number_unsigned()) return 3;
  return json["keep"].get<uint32_t>();
}

// Refuses a folder whose campaign has another seed or other options than the first.
Status CheckSameCampaign(const ShardCampaign& first, const ShardCampaign& other) {
  std::string differs =
      first.info.seed == other.info.seed
          ? OptionsDifference(WholeOptions(first.info.options), WholeOptions(other.info.options))
          : format("seed: {} before, {} now", first.info.seed, other.info.seed);
  if (differs.empty()) return {};
  return Error{format("{}: not a shard of the same campaign as {}: {}", other.folder, first.folder,
                      differs)};
}

// Takes the targets, the references and the baselines of all shards.
Status CopySetup(std::vector<ShardCampaign>& shards, Store& store) {
  for (ShardCampaign& shard : shards) {
    Result<std::vector<CampaignTarget>> targets = shard.store.Targets();
    if (!targets) return targets.error();
    // Targets without a kind are not in --targets. AddTest adds them with their tests.
    std::erase_if(*targets, [](const CampaignTarget& target) { return target.kind.empty(); });
    if (Status set = store.SetTargets(*targets); !set) return set;
    const Result<std::vector<CampaignReference>> references = shard.store.References();
    if (!references) return references.error();
    for (const CampaignReference& reference : *references) {
      if (Status set = store.SetReference(reference); !set) return set;
    }
    const Result<std::vector<Baseline>> baselines = shard.store.Baselines();
    if (!baselines) return baselines.error();
    for (const Baseline& baseline : *baselines) {
      if (Status set = store.SetBaseline(baseline); !set) return set;
    }
    const Result<std::vector<std::string>> types = shard.store.StepTypes();
    if (!types) return types.error();
    if (Status added = store.AddStepTypes(*types); !added) return added;
  }
  return {};
}

Status CopyFolder(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::create_directories(to, error);
  if (!error) {
    fs::copy(from, to,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing |
                 fs::copy_options::skip_symlinks,
             error);
  }
  if (!error) return {};
  return Error{format("{}: cannot copy to {}: {}", from, to, error.message())};
}

// Adds the tests of the shards to the merged store.
class Merger {
 public:
  Merger(Store& store, std::string out, uint32_t keep)
      : store_(store), out_(std::move(out)), keep_(keep) {}

  Status AddTest(ShardCampaign& shard, uint64_t index);
  Status CopyMuted(const ShardCampaign& shard);
  MergeResult result;

 private:
  Status CopyKept(const ShardCampaign& shard, const CampaignTest& test, const KeptTest& made);

  Store& store_;
  const std::string out_;
  const uint32_t keep_;
};

Status Merger::AddTest(ShardCampaign& shard, uint64_t index) {
  const Result<CampaignTest> test = shard.store.Test(index);
  if (!test) return test.error();
  const auto file = [&](const Outcome& outcome) {
    Filing filing;
    filing.keep = 0;
    const auto key = shard.keys.find(outcome.bucket);
    if (key == shard.keys.end()) return filing;
    const Bucket& bucket = shard.buckets.at(key->second);
    filing.stage = bucket.stage;
    filing.own = bucket.own;
    filing.counted_only = bucket.counted_only;
    filing.known = bucket.known;
    filing.folder = bucket.folder;
    if (KeptOf(shard, *test, outcome.target) != nullptr) filing.keep = keep_;
    return filing;
  };
  Result<Added> added = store_.AddTest(*test, file);
  if (!added) return added.error();
  if (!IsOriginalTest(index)) ++result.tests;
  for (const KeptTest& kept : added->kept) {
    if (Status taken = CopyKept(shard, *test, kept); !taken) return taken;
  }
  return {};
}

// Copies what the shard knows of a kept test, and its test folder. Moves the test to the bucket
// that the reduction moved it to.
Status Merger::CopyKept(const ShardCampaign& shard, const CampaignTest& test,
                        const KeptTest& made) {
  const KeptTest* found = KeptOf(shard, test, made.target);
  if (found == nullptr) return {};
  KeptTest kept = *found;
  const BucketKey& key = shard.keys.at(kept.bucket);
  kept.id = made.id;
  kept.bucket = made.bucket;
  if (!std::get<2>(key).empty()) {
    const auto from = shard.buckets.find(key);
    const Result<Moved> moved = store_.MoveKept(kept.id, from->second.sub, from->second.folder,
                                                test.at, keep_, from->second.stage);
    if (!moved) return moved.error();
    if (!moved->kept) return {};
  }
  if (!StaysInside(kept.folder)) kept.folder.clear();
  if (!kept.folder.empty()) {
    if (Status own = RefuseLinks(shard.folder, kept.folder); !own) return own;
    Status copied =
        CopyFolder(format("{}/{}", shard.folder, kept.folder), format("{}/{}", out_, kept.folder));
    if (!copied) return copied;
    ++result.kept;
  }
  return store_.UpdateKept(kept);
}

// Mutes the buckets that are muted in the shard.
Status Merger::CopyMuted(const ShardCampaign& shard) {
  const Result<std::vector<Bucket>> buckets = store_.Buckets();
  if (!buckets) return buckets.error();
  for (const Bucket& bucket : *buckets) {
    const auto there = shard.buckets.find(KeyOf(bucket));
    if (there == shard.buckets.end() || bucket.folder.empty() || !StaysInside(bucket.folder)) {
      continue;
    }
    const std::string& from = there->second.folder;
    const bool marked = StaysInside(from) && RefuseLinks(shard.folder, from) && !from.empty() &&
                        FileExists(format("{}/{}/{}", shard.folder, from, kMutingFile));
    if (!marked && !there->second.muted) continue;
    if (Status made = MakeFolder(format("{}/{}", out_, bucket.folder)); !made) return made;
    Status mark = WriteFile(format("{}/{}/{}", out_, bucket.folder, kMutingFile), "");
    if (!mark) return mark;
    if (Status set = store_.SetMuted(bucket.id, true); !set) return set;
  }
  return {};
}

// Takes the events of tests that are still kept. They follow the events of the buckets, which are
// in the store already.
Status CopyEvents(std::vector<ShardCampaign>& shards, const std::string& out, Store& store) {
  std::vector<CampaignEvent> taken;
  for (ShardCampaign& shard : shards) {
    Result<std::vector<CampaignEvent>> events = shard.store.Events();
    if (!events) return events.error();
    for (CampaignEvent& event : *events) {
      const Json json = Json::parse(event.json, nullptr, false);
      if (!json.is_object() || !json.contains("state") || !json.contains("folder")) continue;
      if (!json["folder"].is_string()) continue;
      const std::string folder = json["folder"];
      if (!StaysInside(folder) || !FileExists(format("{}/{}", out, folder))) continue;
      taken.push_back(std::move(event));
    }
  }
  std::stable_sort(taken.begin(), taken.end(),
                   [](const CampaignEvent& a, const CampaignEvent& b) { return a.at < b.at; });
  for (const CampaignEvent& event : taken) {
    if (Status added = store.AddEvent(event.at, event.json); !added) return added;
  }
  return {};
}

// Writes the files that an ended campaign has next to its store.
Status WriteFiles(Store& store, const std::string& out) {
  if (Status marked = MarkRecommended(store, out); !marked) return marked;
  const Result<Store::Totals> totals = store.ReadTotals();
  if (!totals) return totals.error();
  const Result<CampaignInfo> info = store.Info();
  if (!info) return info.error();
  const Result<std::vector<CampaignReference>> references = store.References();
  if (!references) return references.error();
  CampaignProgress progress;
  progress.checked = progress.references = references->size();
  Result<CampaignCounts> counts = CountCampaign(store);
  if (!counts) return counts.error();
  progress.counts = std::move(*counts);
  progress.tests_per_second = static_cast<double>(totals->tests) / std::max(info->seconds, 1e-3);
  const Result<std::string> stats = StatsJson(store, progress, 0, CampaignState::kMerged);
  if (!stats) return stats.error();
  if (Status written = WriteFile(out + "/stats.json", *stats); !written) return written;
  const Result<std::vector<CampaignEvent>> events = store.Events();
  if (!events) return events.error();
  std::string lines;
  for (const CampaignEvent& event : *events) lines += event.json + "\n";
  if (Status written = WriteFile(out + "/events.jsonl", lines); !written) return written;
  if (Status written = WriteResultFiles(store, out); !written) return written;
  return WriteReport(store, out);
}

Status CopyAll(std::vector<ShardCampaign>& shards, const std::string& out, Store& store,
               Merger* merger) {
  if (Status taken = CopySetup(shards, store); !taken) return taken;
  std::multimap<uint64_t, size_t> tests;  // by index: the shards that have the test
  for (size_t i = 0; i < shards.size(); ++i) {
    const Result<std::vector<uint64_t>> done = shards[i].store.TestIndices();
    if (!done) return done.error();
    for (const uint64_t index : *done) {
      // Every shard checks the originals that it needs. The outcomes of all shards are added.
      const bool again = tests.contains(index) && !IsOriginalTest(index);
      if (again) ++merger->result.duplicate_tests;
      if (!again) tests.emplace(index, i);
    }
  }
  for (const auto& [index, shard] : tests) {
    if (Status added = merger->AddTest(shards[shard], index); !added) return added;
  }
  double seconds = 0;
  for (const ShardCampaign& shard : shards) {
    seconds = std::max(seconds, shard.info.seconds);
    for (uint32_t i = 0; i < shard.info.parts; ++i) {
      if (Status begun = store.BeginPart(); !begun) return begun;
    }
    if (Status marked = merger->CopyMuted(shard); !marked) return marked;
  }
  if (Status set = store.SetSeconds(seconds); !set) return set;
  if (Status taken = CopyEvents(shards, out, store); !taken) return taken;
  const Result<std::vector<Bucket>> buckets = store.Buckets();
  if (!buckets) return buckets.error();
  merger->result.buckets = buckets->size();
  return {};
}

}  // namespace

bool StaysInside(const std::string& path) {
  if (path.starts_with('/')) return false;
  const std::vector<std::string> names = Split(path, '/');
  return std::find(names.begin(), names.end(), "..") == names.end() &&
         path.find('\0') == std::string::npos;
}

Result<MergeResult> MergeCampaigns(const std::vector<std::string>& folders,
                                   const std::string& out) {
  std::vector<ShardCampaign> shards;
  for (const std::string& folder : folders) {
    Result<ShardCampaign> shard = ReadShard(folder);
    if (!shard) return shard.error();
    if (!shards.empty()) {
      if (Status alike = CheckSameCampaign(shards.front(), *shard); !alike) return alike.error();
    }
    shards.push_back(std::move(*shard));
  }
  if (shards.empty()) return Error{"no campaign to merge", ErrorKind::kUsage};
  if (Status made = MakeFolder(out); !made) return made.error();
  const std::string path = format("{}/{}", out, kStoreFile);
  CampaignInfo info = shards.front().info;
  info.options = WholeOptions(info.options);
  Result<Store> store = Store::Create(path, info);
  if (!store) return store.error();
  Merger merger(*store, out, KeptPerBucket(info.options));
  Status filled = CopyAll(shards, out, *store, &merger);
  if (filled) filled = WriteFiles(*store, out);
  if (!filled) {
    // Remove the store: a part of a campaign must not look like all of it.
    std::error_code ignored;
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path + ending, ignored);
    return filled.error();
  }
  return merger.result;
}

}  // namespace campaign
}  // namespace refract
