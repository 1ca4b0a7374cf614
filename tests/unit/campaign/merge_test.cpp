// SPDX-License-Identifier: Apache-2.0
// Shards put together are the campaign that one machine would have had.
#include "campaign/merge.h"

#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "base/random.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "campaign/report/report.h"
#include "campaign/schedule.h"

namespace refract {
namespace {

constexpr uint64_t kTests = 48;
constexpr uint32_t kKeep = 2;

CampaignInfo InfoOf(const Shard& shard, const std::string& version = "1") {
  CampaignInfo info;
  info.seed = 11;
  info.options = format(R"({{"version":"{}","keep":{},"shard":"{}/{}"}})", version, kKeep,
                        shard.number, shard.of);
  return info;
}

// Test `index` of the only campaign there is: on two targets it does what its index says.
CampaignTest TestOf(uint64_t index) {
  Random random(index + 1);
  CampaignTest test;
  test.index = index;
  test.reference = index % 3 == 0 ? "a.frag" : "b.comp";
  test.seed = index * 7;
  test.steps = 10;
  test.seconds = 1;
  test.at = static_cast<double>(index);
  for (const char* target : {"lavapipe", "spirv-opt-O"}) {
    const uint64_t what = random.Below(4);
    if (what < 2) {
      test.outcomes.push_back({target, std::nullopt, "", 0.25});
    } else {
      test.outcomes.push_back(
          {target, what == 2 ? FailureClass::kCrash : FailureClass::kWrongImage,
           format("{} {}: {}", what == 2 ? "crash" : "wrong_image", target, random.Below(3)), 0.5});
    }
  }
  return test;
}

Filing FilingOf(const Outcome& outcome) {
  Filing filing;
  filing.keep = kKeep;
  filing.folder = format("buckets/{}/{}", outcome.target, outcome.signature.back());
  if (outcome.signature.ends_with("1")) filing.known = "known-1";
  return filing;
}

// What a campaign with that shard leaves in `folder`: a test folder of what is kept; wrong images
// are distinguished by the parity of their test.
void MakeShard(const std::string& folder, const Shard& shard) {
  ASSERT_TRUE(MakeFolder(folder));
  Result<Store> store = Store::Create(format("{}/{}", folder, kStoreFile), InfoOf(shard));
  ASSERT_TRUE(store) << store.error().message;
  ASSERT_TRUE(store->BeginPart());
  ASSERT_TRUE(
      store->SetTargets({{0, "lavapipe", "render", "v1"}, {0, "spirv-opt-O", "command", "v2"}}));
  ASSERT_TRUE(store->SetReference({0, "a.frag", "00", ReferenceStability::kExact, false, ""}));
  ASSERT_TRUE(store->SetReference({0, "b.comp", "01", ReferenceStability::kStable, false, ""}));
  ASSERT_TRUE(store->SetBaseline({"a.frag", "lavapipe", BaselineState::kOk, "02", 0.1, ""}));
  for (uint64_t index = 0; index < kTests; ++index) {
    if (!shard.Has(index)) continue;
    const CampaignTest test = TestOf(index);
    const Result<Added> added = store->AddTest(test, FilingOf);
    ASSERT_TRUE(added) << added.error().message;
    for (KeptTest kept : added->kept) {
      kept.state = KeptState::kReduced;
      kept.folder = format("buckets/tests/{}-{}", index, kept.bucket);
      const Result<std::vector<Bucket>> buckets = store->Buckets();
      ASSERT_TRUE(buckets);
      for (const Bucket& bucket : *buckets) {
        if (bucket.id == kept.bucket) {
          kept.folder = format("buckets/tests/{}-{}", index, bucket.stage);
        }
      }
      ASSERT_TRUE(MakeFolder(format("{}/{}", folder, kept.folder)));
      ASSERT_TRUE(WriteFile(format("{}/{}/test.json", folder, kept.folder), format("{}", index)));
      ASSERT_TRUE(store->UpdateKept(kept));
      ASSERT_TRUE(store->AddEvent(
          test.at,
          format(R"({{"event":"reduced","state":"reduced","folder":"{}"}})", kept.folder)));
    }
  }
  ASSERT_TRUE(store->SetSeconds(100 + static_cast<double>(shard.number)));
}

struct Seen {
  std::set<std::tuple<uint64_t, std::string, std::string, std::string>> outcomes;
  /// stage, signature, sub, known: first test, count
  std::map<std::tuple<std::string, std::string, std::string, std::string>,
           std::pair<uint64_t, uint64_t>>
      buckets;
  std::set<std::pair<uint64_t, std::string>> kept;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen Look(Store& store) {
  Seen seen;
  EXPECT_TRUE(store.ForEachTest([&](const CampaignTest& test) {
    for (const Outcome& outcome : test.outcomes) {
      seen.outcomes.emplace(test.index, outcome.target, TextOf(outcome.verdict), outcome.signature);
    }
  }));
  const Result<std::vector<Bucket>> buckets = store.Buckets();
  EXPECT_TRUE(buckets);
  for (const Bucket& bucket : *buckets) {
    seen.buckets[{bucket.stage, bucket.signature, bucket.sub, bucket.known}] = {bucket.first_test,
                                                                                bucket.count};
  }
  const Result<std::vector<KeptTest>> kept = store.Kept();
  EXPECT_TRUE(kept);
  for (const KeptTest& one : *kept) seen.kept.emplace(one.test, one.folder);
  return seen;
}

Result<Store> OpenCampaign(const std::string& folder) {
  return Store::Open(format("{}/{}", folder, kStoreFile));
}

class Merge : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::Make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
  }
  std::string Path(const std::string& name) const { return format("{}/{}", folder_->path(), name); }
  std::optional<TemporaryFolder> folder_;
};

TEST_F(Merge, FourShardsAreOneRun) {
  MakeShard(Path("whole"), {1, 1});
  std::vector<std::string> shards;
  for (uint64_t i = 1; i <= 4; ++i) {
    shards.push_back(Path(format("shard-{}", i)));
    MakeShard(shards.back(), {i, 4});
  }
  const Result<MergeResult> merged = MergeCampaigns(shards, Path("merged"));
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->tests, kTests);
  EXPECT_EQ(merged->duplicate_tests, 0u);
  Result<Store> whole = OpenCampaign(Path("whole"));
  ASSERT_TRUE(whole);
  Result<Store> store = OpenCampaign(Path("merged"));
  ASSERT_TRUE(store) << store.error().message;
  const Seen seen = Look(*store);
  EXPECT_EQ(seen, Look(*whole));
  EXPECT_GT(seen.buckets.size(), 8u);
  EXPECT_EQ(seen.kept.size(), merged->kept);
  for (const auto& [test, folder] : seen.kept) {
    const Result<std::string> text = ReadFile(format("{}/{}/test.json", Path("merged"), folder));
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(*text, format("{}", test));
  }
  const Result<CampaignInfo> info = store->Info();
  ASSERT_TRUE(info);
  EXPECT_EQ(info->parts, 4u);
  EXPECT_EQ(info->seconds, 104);
  EXPECT_EQ(info->options, InfoOf({1, 1}).options);
  EXPECT_TRUE(FileExists(format("{}/{}/index.html", Path("merged"), kReportFolder)));
  // All that a campaign leaves when it has ended, and what became of the tests that are kept now.
  const Result<std::string> stats = ReadFile(Path("merged/stats.json"));
  ASSERT_TRUE(stats);
  EXPECT_NE(stats->find("\"state\": \"merged\""), std::string::npos);
  EXPECT_NE(stats->find(format("\"tests\": {}", kTests)), std::string::npos);
  const Result<std::string> events = ReadFile(Path("merged/events.jsonl"));
  ASSERT_TRUE(events);
  const auto count = [&](std::string_view what) {
    size_t found = 0;
    for (size_t at = 0; (at = events->find(what, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("\n"), store->Events()->size());
  EXPECT_EQ(count("\"event\":\"bucket\""), seen.buckets.size());
  EXPECT_EQ(count("\"event\":\"reduced\""), merged->kept);
  EXPECT_TRUE(FileExists(Path("merged/junit.xml")));
  // The order of the folders decides nothing.
  std::swap(shards[0], shards[3]);
  ASSERT_TRUE(MergeCampaigns(shards, Path("again")));
  Result<Store> again = OpenCampaign(Path("again"));
  ASSERT_TRUE(again);
  EXPECT_EQ(Look(*again), seen);
}

TEST_F(Merge, WhatIsToldApartStaysApart) {
  MakeShard(Path("one"), {1, 2});
  MakeShard(Path("two"), {2, 2});
  for (const char* name : {"one", "two"}) {
    Result<Store> store = OpenCampaign(Path(name));
    ASSERT_TRUE(store);
    const Result<std::vector<KeptTest>> kept = store->Kept();
    ASSERT_TRUE(kept);
    const Result<Moved> moved =
        store->MoveKept(kept->front().id, "fragment: split_block", "buckets/sub", 7, kKeep);
    ASSERT_TRUE(moved) << moved.error().message;
  }
  ASSERT_TRUE(MergeCampaigns({Path("one"), Path("two")}, Path("merged")));
  Result<Store> store = OpenCampaign(Path("merged"));
  ASSERT_TRUE(store);
  const Result<std::vector<Bucket>> buckets = store->Buckets();
  ASSERT_TRUE(buckets);
  uint64_t apart = 0;
  for (const Bucket& bucket : *buckets) {
    if (bucket.sub == "fragment: split_block") apart += bucket.count;
  }
  EXPECT_EQ(apart, 2u);
}

TEST_F(Merge, TestsThatSeveralHaveAreTakenOnce) {
  MakeShard(Path("one"), {1, 1});
  MakeShard(Path("two"), {1, 1});
  const Result<MergeResult> merged = MergeCampaigns({Path("one"), Path("two")}, Path("merged"));
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->tests, kTests);
  EXPECT_EQ(merged->duplicate_tests, kTests);
}

TEST_F(Merge, MutedStaysMuted) {
  MakeShard(Path("one"), {1, 1});
  const std::string marked = format("{}/buckets/lavapipe/0", Path("one"));
  ASSERT_TRUE(MakeFolder(marked));
  ASSERT_TRUE(WriteFile(marked + "/NOT_INTERESTING", ""));
  ASSERT_TRUE(MergeCampaigns({Path("one")}, Path("merged")));
  Result<Store> store = OpenCampaign(Path("merged"));
  ASSERT_TRUE(store);
  const Result<std::vector<Bucket>> buckets = store->Buckets();
  ASSERT_TRUE(buckets);
  uint64_t muted = 0;
  for (const Bucket& bucket : *buckets) {
    EXPECT_EQ(bucket.muted, bucket.folder == "buckets/lavapipe/0") << bucket.signature;
    muted += bucket.muted ? 1 : 0;
  }
  EXPECT_GT(muted, 0u);
}

TEST_F(Merge, OtherCampaignsAreRefused) {
  MakeShard(Path("one"), {1, 2});
  ASSERT_TRUE(MakeFolder(Path("other")));
  ASSERT_TRUE(Store::Create(format("{}/{}", Path("other"), kStoreFile), InfoOf({2, 2}, "2")));
  const Result<MergeResult> merged = MergeCampaigns({Path("one"), Path("other")}, Path("merged"));
  ASSERT_FALSE(merged);
  EXPECT_NE(merged.error().message.find("not a shard of the same campaign"), std::string::npos);
  EXPECT_NE(merged.error().message.find("version"), std::string::npos);
  EXPECT_FALSE(FileExists(format("{}/{}", Path("merged"), kStoreFile)));
  // Nor is a campaign overwritten.
  EXPECT_FALSE(MergeCampaigns({Path("one")}, Path("one")));
  EXPECT_FALSE(MergeCampaigns({Path("nowhere")}, Path("merged")));
}

}  // namespace
}  // namespace refract
