// SPDX-License-Identifier: Apache-2.0
// The store of a campaign: what goes in comes out, and what happens to it when its process is
// killed or no space is left.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "campaign/folder_lock.h"
#include "campaign/original_tests.h"
#include "campaign/store/store.h"

namespace refract {
namespace {

struct Place {
  TemporaryFolder folder = std::move(*TemporaryFolder::Make());
  std::string path = folder.path() + "/" + kStoreFile;
};

CampaignInfo InfoOf() {
  CampaignInfo info;
  info.seed = 0xfedcba9876543210u;
  info.options = "{\"keep\":3}";
  info.tool = "0.1.0";
  info.commit = "abc";
  return info;
}

Store NewStore(const Place& place) {
  Result<Store> store = Store::Create(place.path, InfoOf());
  EXPECT_TRUE(store) << store.error().message;
  EXPECT_TRUE(store->SetTargets({{0, "one", "render", "1.0"}, {0, "two", "command", "2.0"}}));
  EXPECT_TRUE(store->SetReference({0, "a.frag", "hash", ReferenceStability::kExact, false, ""}));
  return std::move(*store);
}

CampaignTest TestOf(uint64_t index, const std::string& signature = "") {
  CampaignTest test;
  test.index = index;
  test.reference = "a.frag";
  test.seed = index + 100;
  test.steps = 12;
  test.words = 345;
  test.seconds = 0.5;
  test.own_seconds = 0.125;
  test.at = static_cast<double>(index);
  test.outcomes.push_back({"one", std::nullopt, "", 0.25});
  if (signature.empty()) {
    test.outcomes.push_back({"two", std::nullopt, "", 0.25});
  } else {
    test.outcomes.push_back({"two", FailureClass::kCrash, signature, 0.25});
  }
  return test;
}

Filing Keep(const Outcome& outcome) {
  Filing filing;
  filing.folder = "buckets/" + outcome.signature;
  filing.keep = 2;
  return filing;
}

TEST(CampaignStore, WhatGoesInComesOut) {
  const Place place;
  {
    Store store = NewStore(place);
    const Result<Added> first = store.AddTest(TestOf(5, "crash two: SIGSEGV"), Keep);
    ASSERT_TRUE(first);
    ASSERT_EQ(first->new_buckets.size(), 1u);
    EXPECT_EQ(first->new_buckets[0].folder, "buckets/crash two: SIGSEGV");
    ASSERT_EQ(first->kept.size(), 1u);
    ASSERT_TRUE(store.AddTest(TestOf(7, "crash two: SIGSEGV"), Keep));
    const Result<Added> third = store.AddTest(TestOf(6, "crash two: SIGSEGV"), Keep);
    ASSERT_TRUE(third);
    EXPECT_TRUE(third->new_buckets.empty());
    EXPECT_TRUE(third->kept.empty()) << "two of a bucket are kept";
    ASSERT_TRUE(store.AddTest(TestOf(1), Keep));
    ASSERT_TRUE(
        store.SetBaseline({"a.frag", "two", BaselineState::kDiffers, "h", 1.5, "by a lot"}));
    KeptTest kept = first->kept[0];
    kept.state = KeptState::kReduced;
    kept.types = {"add_dead_block", "split_block"};
    ASSERT_TRUE(store.SetRecommended(kept.id, true));
    ASSERT_TRUE(store.UpdateKept(kept));
    ASSERT_TRUE(store.SetSeconds(90.5));
    ASSERT_TRUE(store.BeginPart());
  }
  Result<Store> store = Store::Read(place.path);
  ASSERT_TRUE(store) << store.error().message;
  const Result<CampaignInfo> info = store->Info();
  ASSERT_TRUE(info);
  EXPECT_EQ(info->seed, 0xfedcba9876543210u);
  EXPECT_EQ(info->options, "{\"keep\":3}");
  EXPECT_EQ(info->seconds, 90.5);
  EXPECT_EQ(info->parts, 1u);
  EXPECT_EQ(*store->TestIndices(), (std::vector<uint64_t>{1, 5, 6, 7}));
  const std::vector<Bucket> buckets = *store->Buckets();
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_EQ(buckets[0].count, 3u);
  EXPECT_EQ(buckets[0].first_test, 5u);
  EXPECT_EQ(buckets[0].stage, "two");
  const std::vector<KeptTest> kept = *store->Kept();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].state, KeptState::kReduced);
  EXPECT_EQ(kept[0].types, (std::vector<std::string>{"add_dead_block", "split_block"}));
  EXPECT_TRUE(kept[0].recommended);
  EXPECT_EQ(kept[1].state, KeptState::kFound);
  const std::vector<Baseline> baselines = *store->Baselines();
  ASSERT_EQ(baselines.size(), 1u);
  EXPECT_EQ(baselines[0].state, BaselineState::kDiffers);
  std::string verdicts;
  const Result<std::vector<VerdictCount>> counts = store->Verdicts();
  ASSERT_TRUE(counts);
  for (const VerdictCount& count : *counts) {
    verdicts += format("{} {} {};", count.target, TextOf(count.verdict), count.count);
  }
  EXPECT_EQ(verdicts, "one ok 4;two crash 3;two ok 1;");
  const CampaignTest seven = *store->Test(7);
  EXPECT_EQ(seven.seed, 107u);
  ASSERT_EQ(seven.outcomes.size(), 2u);
  EXPECT_EQ(seven.outcomes[1].signature, "crash two: SIGSEGV");
  const Store::Totals totals = *store->ReadTotals();
  EXPECT_EQ(totals.tests, 4u);
  EXPECT_EQ(totals.own_seconds, 0.5);
  EXPECT_EQ(store->Events()->size(), 1u) << "a new bucket is an event";
}

// A driver that dies of what several targets give it is one bucket; a test is in it once.
TEST(CampaignStore, FailuresOfAStageAreOneBucket) {
  const Place place;
  Store store = NewStore(place);
  const auto of_stage = [](const Outcome& outcome) {
    Filing filing = Keep(outcome);
    filing.stage = outcome.stage;
    return filing;
  };
  CampaignTest test = TestOf(1);
  test.outcomes = {{"one", FailureClass::kCrash, "crash driver: SIGSEGV", 0.25, "driver"},
                   {"two", FailureClass::kCrash, "crash driver: SIGSEGV", 0.25, "driver"}};
  const Result<Added> first = store.AddTest(test, of_stage);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_EQ(first->kept.size(), 1u);
  EXPECT_EQ(first->kept[0].target, "one");
  test.index = 2;
  test.outcomes.erase(test.outcomes.begin());
  const Result<Added> second = store.AddTest(test, of_stage);
  ASSERT_TRUE(second);
  ASSERT_EQ(second->kept.size(), 1u);
  EXPECT_EQ(second->kept[0].target, "two");
  const std::vector<Bucket> buckets = *store.Buckets();
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_EQ(buckets[0].stage, "driver");
  EXPECT_EQ(buckets[0].count, 2u) << "tests, not outcomes";
  const std::vector<BucketTargetCount> seen = *store.BucketTargetCounts();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].target, "one");
  EXPECT_EQ(seen[0].count, 1u);
  EXPECT_EQ(seen[1].target, "two");
  EXPECT_EQ(seen[1].count, 2u);
  EXPECT_EQ(store.Test(1)->outcomes[1].bucket, buckets[0].id);
  EXPECT_EQ(store.Kept()->back().target, "two") << "on which it is run again";
}

TEST(CampaignStore, TestsAreCountedOverTime) {
  const Place place;
  Store store = NewStore(place);
  const auto counts = [&] {
    std::vector<std::pair<uint64_t, uint64_t>> pairs;
    const Result<std::vector<IntervalCount>> intervals = store.TestsOverTime(4);
    for (const IntervalCount& count : *intervals) {
      pairs.emplace_back(count.tests, count.failing);
    }
    return pairs;
  };
  using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(counts(), (Pairs{{0, 0}, {0, 0}, {0, 0}, {0, 0}}));
  ASSERT_TRUE(store.AddTest(TestOf(0, "crash"), Keep));
  CampaignTest both = TestOf(1, "crash");
  both.outcomes[0] = {"one", FailureClass::kHang, "hang", 0.25};
  ASSERT_TRUE(store.AddTest(both, Keep));
  ASSERT_TRUE(store.AddTest(TestOf(2), Keep));
  ASSERT_TRUE(store.AddTest(TestOf(6, "slow"), [](const Outcome& outcome) {
    Filing filing = Keep(outcome);
    filing.counted_only = true;
    return filing;
  }));
  ASSERT_TRUE(store.SetSeconds(8));
  // The interval of test 2 begins with it. A test counts once, on however many targets it fails.
  EXPECT_EQ(counts(), (Pairs{{2, 2}, {1, 0}, {0, 0}, {1, 0}}));
  ASSERT_TRUE(store.AddTest(TestOf(8, "crash"), Keep));  // at the end
  EXPECT_EQ(counts(), (Pairs{{2, 2}, {1, 0}, {0, 0}, {2, 1}}));
  CampaignTest original = TestOf(OriginalTestOf(0), "crash");
  original.at = 1;
  ASSERT_TRUE(store.AddTest(original, Keep));
  EXPECT_EQ(counts(), (Pairs{{2, 3}, {1, 0}, {0, 0}, {2, 1}}));
}

TEST(CampaignStore, ATestThatIsThereChangesNothing) {
  const Place place;
  Store store = NewStore(place);
  ASSERT_TRUE(store.AddTest(TestOf(5, "crash two: A"), Keep));
  const Result<Added> again = store.AddTest(TestOf(5, "crash two: A"), Keep);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->new_buckets.empty());
  EXPECT_EQ(store.Buckets()->front().count, 1u);
}

TEST(CampaignStore, ReductionsMoveWrongOutputsToSubBuckets) {
  const Place place;
  Store store = NewStore(place);
  const Result<Added> one = store.AddTest(TestOf(1, "wrong_image two"), Keep);
  const Result<Added> two = store.AddTest(TestOf(2, "wrong_image two"), Keep);
  ASSERT_TRUE(one && two);
  const Result<Moved> first = store.MoveKept(one->kept[0].id, "fragment: a", "sub/a", 3, 1);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->is_new);
  EXPECT_TRUE(first->kept);
  const Result<Moved> second = store.MoveKept(two->kept[0].id, "fragment: a", "sub/a", 4, 1);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->is_new);
  EXPECT_FALSE(second->kept) << "that one has enough";
  const std::vector<Bucket> buckets = *store.Buckets();
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets[0].sub, "");
  EXPECT_EQ(buckets[0].count, 2u);
  EXPECT_EQ(buckets[1].sub, "fragment: a");
  EXPECT_EQ(buckets[1].count, 2u);
  ASSERT_EQ(store.Kept()->size(), 1u);
  EXPECT_EQ(store.Kept()->front().bucket, buckets[1].id);
}

TEST(CampaignStore, RefusesWhatIsNoStore) {
  const Place place;
  ASSERT_TRUE(
      WriteFile(place.path, "no database at all, but long enough to be looked at closely\n"));
  const Result<Store> store = Store::Open(place.path);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind, ErrorKind::kBadInput);
  EXPECT_NE(store.error().message.find(place.path), std::string::npos);
  EXPECT_FALSE(Store::Read(place.path + ".other"));
  EXPECT_FALSE(Store::Create(place.path, InfoOf())) << "nothing is overwritten";
}

// What `child` returns in a process of its own, as wait() has it.
template <class Child>
int StatusOfChild(const Child& child) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(child());
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

TEST(CampaignStore, KilledInTheMiddleOfATest) {
  const Place place;
  { const Store made = NewStore(place); }
  const int status = StatusOfChild([&] {
    Result<Store> store = Store::Open(place.path);
    if (!store || !store->AddTest(TestOf(1, "crash two: A"), Keep)) return 1;
    // The test itself and its first outcome are written by then.
    static_cast<void>(store->AddTest(TestOf(2, "crash two: B"), [](const Outcome&) -> Filing {
      ::raise(SIGKILL);
      return {};
    }));
    return 2;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  Result<Store> store = Store::Open(place.path);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(*store->TestIndices(), std::vector<uint64_t>{1});
  EXPECT_EQ(store->Buckets()->size(), 1u);
  ASSERT_TRUE(store->AddTest(TestOf(2, "crash two: B"), Keep)) << "and it goes on";
  EXPECT_EQ(store->Buckets()->size(), 2u);
}

TEST(CampaignStore, KilledWhileItIsMade) {
  const Place place;
  // What remains if the process is killed before the tables exist.
  ASSERT_TRUE(WriteFile(place.path + ".new", "half of a file"));
  EXPECT_TRUE(Store::Create(place.path, InfoOf()));
}

TEST(CampaignStore, WithoutRoomItSaysSoAndLosesNothing) {
  const Place place;
  { const Store made = NewStore(place); }
  const int status = StatusOfChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300000, 300000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 101;
    Result<Store> store = Store::Open(place.path);
    if (!store) return 102;
    for (uint64_t i = 0; i < 100; ++i) {
      const Result<Added> added =
          store->AddTest(TestOf(i, format("crash two: {:x>5000}", i)), Keep);
      if (added) continue;
      const bool names = added.error().message.find(place.path) != std::string::npos &&
                         added.error().message.find("disk") != std::string::npos;
      if (added.error().kind != ErrorKind::kFailed || !names) return 103;
      return static_cast<int>(i);  // so many were promised to be there
    }
    return 104;
  });
  ASSERT_TRUE(WIFEXITED(status));
  const int promised = WEXITSTATUS(status);
  ASSERT_LT(promised, 100);
  ASSERT_GT(promised, 0);
  Result<Store> store = Store::Open(place.path);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(store->TestIndices()->size(), static_cast<size_t>(promised));
  ASSERT_TRUE(store->AddTest(TestOf(1000, "crash two: z"), Keep));
}

TEST(CampaignStore, OneCampaignAtATimeInAFolder) {
  const Place place;
  const Result<FolderLock> lock = FolderLock::Take(place.folder.path());
  ASSERT_TRUE(lock);
  const int status = StatusOfChild([&] {
    const Result<FolderLock> other = FolderLock::Take(place.folder.path());
    if (other) return 1;
    return other.error().message.find(format("process {}", ::getppid())) == std::string::npos ? 2
                                                                                              : 0;
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace refract
