// SPDX-License-Identifier: Apache-2.0
// The status of a campaign: what is counted while it runs, and what another process reads.
#include "campaign/status.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "campaign/campaign_counter.h"
#include "campaign/folder_lock.h"
#include "campaign/housekeeping.h"
#include "campaign/store/sql.h"
#include "campaign/store/store.h"
#include "transform/registry.h"

namespace refract {
namespace {

struct Place {
  TemporaryFolder folder = std::move(*TemporaryFolder::Make());
  std::string path = folder.path() + "/" + kStoreFile;
};

Store NewStore(const Place& place) {
  Result<Store> store = Store::Create(place.path, CampaignInfo());
  EXPECT_TRUE(store) << store.error().message;
  EXPECT_TRUE(store->SetTargets({{0, "one", "render", "1.0"}, {0, "two", "command", "2.0"}}));
  for (const char* name : {"a.frag", "b.frag", "c.frag"}) {
    EXPECT_TRUE(store->SetReference(
        {0, name, "hash", ReferenceStability::kExact, name == std::string("b.frag"), ""}));
  }
  // c.frag runs nowhere.
  for (const char* target : {"one", "two"}) {
    EXPECT_TRUE(store->SetBaseline({"a.frag", target, BaselineState::kOk, "h", 1, ""}));
    EXPECT_TRUE(store->SetBaseline({"c.frag", target, BaselineState::kFails, "", 1, "crash"}));
  }
  EXPECT_TRUE(store->SetBaseline({"b.frag", "one", BaselineState::kDiffers, "h", 1, ""}));
  EXPECT_TRUE(store->SetBaseline({"b.frag", "two", BaselineState::kUnsupported, "", 1, ""}));
  return std::move(*store);
}

CampaignTest TestOf(uint64_t index, OutcomeVerdict verdict, std::vector<std::string> types) {
  CampaignTest test;
  test.index = index;
  test.reference = "a.frag";
  test.at = static_cast<double>(10 * index);
  test.types = std::move(types);
  test.outcomes.push_back({"one", std::nullopt, "", 0.25});
  const std::string signature = verdict ? format("{} two", TextOf(verdict)) : "";
  test.outcomes.push_back({"two", verdict, signature, 0.5});
  return test;
}

Filing File(const Outcome& outcome) {
  Filing filing;
  filing.counted_only = !IsBug(*outcome.verdict);
  if (outcome.verdict == FailureClass::kHang) filing.known = "endless";
  filing.keep = 1;
  return filing;
}

// Three tests; both the store and the counter have them.
void AddTests(Store& store, CampaignCounter* counter) {
  const std::vector<CampaignTest> tests = {
      TestOf(1, FailureClass::kCrash, {"split_block", "add_dead_block"}),
      TestOf(2, FailureClass::kSlow, {"split_block"}),
      TestOf(3, FailureClass::kHang, {}),
  };
  for (const CampaignTest& test : tests) {
    ASSERT_TRUE(store.AddTest(test, File));
    counter->AddTest(test);
  }
}

std::string TextOf(const CampaignCounts& counts) {
  std::string text = format(
      "found {} own {} known {} muted {} counted {}; last {}; reduced {}; crash only {}, put aside "
      "{}; types {}",
      counts.buckets.found, counts.buckets.own, counts.buckets.known, counts.buckets.muted,
      counts.buckets.counted_only, counts.buckets.last_found, counts.reduced, counts.crash_only,
      counts.put_aside, counts.types);
  for (const TargetCounts& target : counts.targets) {
    text += format("; {} {} {} {} {} {}", target.name, target.runs, target.failures,
                   target.counted_only, target.seconds, TextOf(target.use));
  }
  return text;
}

constexpr char kExpected[] =
    "found 1 own 0 known 1 muted 0 counted 1; last 10; reduced 0; crash only 1, put aside 1; types "
    "2; one 3 0 0 0.75 in_use; two 3 2 1 1.5 in_use";

TEST(CampaignStatus, CountsAlongAreThoseOfTheStore) {
  const Place place;
  Store store = NewStore(place);
  CampaignCounter counter(store);
  ASSERT_TRUE(counter.Begin());
  AddTests(store, &counter);
  const Result<CampaignCounts> along = counter.Counts(0, 3);
  ASSERT_TRUE(along);
  EXPECT_EQ(TextOf(*along), kExpected);
  EXPECT_EQ(along->missing_types.size(), transform::Registry().size() - 2);
  const Result<CampaignCounts> afterwards = CountCampaign(store);
  ASSERT_TRUE(afterwards);
  EXPECT_EQ(TextOf(*afterwards), kExpected);
  EXPECT_EQ(along->events, afterwards->events);
}

TEST(CampaignStatus, TheStoreIsReadOnceASecond) {
  const Place place;
  Store store = NewStore(place);
  CampaignCounter counter(store);
  ASSERT_TRUE(counter.Begin());
  ASSERT_TRUE(counter.Counts(5, 3));
  AddTests(store, &counter);
  const Result<CampaignCounts> soon = counter.Counts(5.5, 3), later = counter.Counts(6, 3);
  ASSERT_TRUE(soon && later);
  EXPECT_EQ(soon->buckets.found, 0u);
  EXPECT_EQ(soon->targets[1].runs, 3u) << "tests are counted at once";
  EXPECT_EQ(later->buckets.found, 1u);
}

TEST(CampaignStatus, ATargetIsNotUsableOrHasNoReference) {
  const Place place;
  Store store = NewStore(place);
  for (const char* reference : {"a.frag", "b.frag", "c.frag"}) {
    ASSERT_TRUE(store.SetBaseline({reference, "one", BaselineState::kUnsupported, "", 1, ""}));
  }
  CampaignCounter counter(store);
  ASSERT_TRUE(counter.Begin());
  CampaignTest test = TestOf(1, FailureClass::kNotUsable, {});
  test.outcomes.erase(test.outcomes.begin());
  counter.AddTest(test);
  Result<CampaignCounts> counts = counter.Counts(0, 3);
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->targets[0].use, TargetUse::kNoReference);
  EXPECT_EQ(counts->targets[1].use, TargetUse::kNotUsable);
  counter.AddTest(TestOf(2, std::nullopt, {}));
  counts = counter.Counts(0, 3);
  EXPECT_EQ(counts->targets[1].use, TargetUse::kInUse);
}

TEST(CampaignStatus, StoresOfEarlierVersionsHaveNoTypes) {
  const Place place;
  {
    Store store = NewStore(place);
    ASSERT_TRUE(store.AddTest(TestOf(1, std::nullopt, {"split_block"}), File));
  }
  {
    Result<Database> database = Database::Open(place.path, Database::Mode::kWrite);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->Run("DROP TABLE step_types"));
  }
  {
    Result<Store> store = Store::Read(place.path);
    ASSERT_TRUE(store);
    const Result<std::vector<std::string>> types = store->StepTypes();
    ASSERT_TRUE(types) << types.error().message;
    EXPECT_TRUE(types->empty());
  }
  Result<Store> store = Store::Open(place.path);
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->AddTest(TestOf(2, std::nullopt, {"split_block"}), File));
  EXPECT_EQ(*store->StepTypes(), std::vector<std::string>{"split_block"});
}

TEST(CampaignStatus, AnotherProcessReadsIt) {
  const Place place;
  const std::string stats = place.folder.path() + "/stats.json";
  Store store = NewStore(place);
  CampaignCounter counter(store);
  ASSERT_TRUE(counter.Begin());
  AddTests(store, &counter);
  ASSERT_TRUE(store.SetSeconds(100));
  CampaignProgress progress;
  progress.seconds = 40;
  progress.checked = progress.references = 3;
  progress.tests_per_second = 0.25;
  progress.recent_tests_per_second = 0.5;
  progress.waiting = 5;
  progress.reducing = 2;
  progress.time_limit = 60;
  progress.counts = *counter.Counts(0, 3);
  progress.counts.targets[0].use = TargetUse::kSkipped;
  const Result<std::string> json = StatsJson(store, progress, 4, CampaignState::kRunning);
  ASSERT_TRUE(json);
  ASSERT_TRUE(WriteFile(stats, *json));
  const Result<CampaignStatus> killed = ReadStatus(place.folder.path());
  ASSERT_TRUE(killed) << killed.error().message;
  EXPECT_EQ(killed->state, CampaignStatus::State::kKilled);
  const CampaignProgress& read = killed->progress;
  EXPECT_EQ(read.seconds, 40);
  EXPECT_EQ(read.all_seconds, 100);
  EXPECT_EQ(read.checked, 3u);
  EXPECT_EQ(read.tests, 3u);
  EXPECT_EQ(read.tests_per_second, 0.25);
  EXPECT_EQ(read.recent_tests_per_second, 0.5);
  EXPECT_EQ(read.waiting, 5u);
  EXPECT_EQ(read.reducing, 2u);
  EXPECT_EQ(read.time_limit, 60);
  EXPECT_EQ(read.test_limit, std::nullopt);
  EXPECT_EQ(read.counts.targets[0].use, TargetUse::kSkipped);
  EXPECT_EQ(killed->jobs, 4u);
  const Result<std::string> ended = StatsJson(store, progress, 4, CampaignState::kEnded);
  ASSERT_TRUE(ended);
  ASSERT_TRUE(WriteFile(stats, *ended));
  EXPECT_EQ(ReadStatus(place.folder.path())->state, CampaignStatus::State::kEnded);
}

TEST(CampaignStatus, FoldersWithoutACampaignAreErrors) {
  const Place place;
  const std::string stats = place.folder.path() + "/stats.json";
  const auto error = [&] {
    const Result<CampaignStatus> status = ReadStatus(place.folder.path());
    return status ? std::string("none") : status.error().message.substr(place.folder.path().size());
  };
  EXPECT_EQ(error(),
            "/campaign.sqlite: no such file, so this is not the folder of a campaign (its --out)");
  const Store store = NewStore(place);
  EXPECT_NE(error().find("/stats.json: "), std::string::npos);
  ASSERT_TRUE(WriteFile(stats, "{"));
  EXPECT_EQ(error().substr(0, 16), "/stats.json:1:1:");
  // Numbers that no campaign writes count as missing.
  ASSERT_TRUE(WriteFile(stats, R"({"tests_per_second": -1, "part_seconds": 1e300, "jobs": "x"})"));
  EXPECT_EQ(error(), "none");
}

TEST(CampaignStatus, EventsInWords) {
  const auto words = [](double at, const std::string& json) { return EventInWords({1, at, json}); };
  EXPECT_EQ(words(1, R"({"event": "begin"})"), "");
  EXPECT_EQ(words(1, "no JSON"), "");
  EXPECT_EQ(
      words(4, R"({"event": "confirmed", "test": 1000000000047, "signature": "wrong_buffer drv",
                         "state": "confirmed", "runs": 3, "confirmed": 3})"),
      "0:00:04 an unchanged reference ran again and failed in 3 of 3 runs: wrong_buffer drv");
  EXPECT_EQ(words(3725.5, R"({"event": "bucket", "stage": "drv", "verdict": "crash",
                              "signature": "crash drv: SIGSEGV", "sub": "", "known": ""})"),
            "1:02:05 new bucket: drv: crash drv: SIGSEGV");
  EXPECT_EQ(words(5, R"({"event": "bucket", "stage": "drv", "verdict": "wrong_image",
                         "signature": "wrong image", "sub": "fragment: a", "known": ""})"),
            "0:00:05 new bucket: drv: wrong image [fragment: a]");
  EXPECT_EQ(words(5, R"({"event": "bucket", "stage": "drv", "verdict": "slow",
                         "signature": "slow drv", "known": ""})"),
            "0:00:05 only counted: drv: slow drv");
  EXPECT_EQ(words(5, R"({"event": "bucket", "stage": "drv", "verdict": "crash",
                         "signature": "crash", "known": "old"})"),
            "0:00:05 known issue old: drv: crash");
  EXPECT_EQ(words(5, R"({"event": "bucket", "stage": "refract", "verdict": "our_error",
                         "signature": "invalid", "known": ""})"),
            "0:00:05 fault of Refract: refract: invalid");
  EXPECT_EQ(words(5, R"({"event": "confirmed", "test": 7, "state": "confirmed", "runs": 3,
                         "confirmed": 3, "signature": "crash"})"),
            "0:00:05 test 7 ran again and failed in 3 of 3 runs: crash");
  EXPECT_EQ(words(5, R"({"event": "reduced", "test": 7, "state": "reduced", "steps": 90,
                         "reduced_steps": 2, "signature": "crash"})"),
            "0:00:05 test 7 reduced from 90 steps to 2: crash");
  EXPECT_EQ(words(5, R"({"event": "reduced", "test": 7, "state": "failed", "detail": "no"})"),
            "0:00:05 test 7 cannot be reduced: no");
  EXPECT_EQ(words(0, R"({"event": "baseline", "reference": "a.frag", "target": "drv",
                         "state": "varies", "detail": "not the same"})"),
            "reference a.frag on drv: varies: not the same");
  EXPECT_EQ(words(5, R"({"event": "passed_over", "target": "drv", "tests": 1})"),
            "0:00:05 1 test skipped the target drv, because it hung too often");
  EXPECT_EQ(words(5, R"({"event": "later", "target": "drv"})"), "0:00:05 later: drv");
}

}  // namespace
}  // namespace refract
