// SPDX-License-Identifier: Apache-2.0
#include "campaign/feedback.h"

#include <gtest/gtest.h>

#include <set>

#include "base/temporary_folder.h"
#include "campaign/counts.h"
#include "campaign/store/store.h"

namespace refract {
namespace {

FeedbackState SampleState() {
  FeedbackState state;
  state.program = "0123";
  state.rounds = 2;
  state.ran = {false, true, true, false, true};
  state.references.resize(4);
  state.references[0].Add(false);
  for (int i = 0; i < 5; ++i) state.references[2].Add(true);
  for (int i = 0; i < 5; ++i) state.references[3].Add(false);
  state.types["split_block"].Add(true);
  state.types["copy_value"].Add(false);
  state.seeds = {{77, 2}, {88, 1}};
  state.lines = 30;
  state.all_lines = 100;
  state.new_lines = 4;
  return state;
}

TEST(Feedback, IsReadAsItWasWritten) {
  const FeedbackState state = SampleState();
  const std::string text = FeedbackText(state);
  const Result<FeedbackState> read = ParseFeedback(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(FeedbackText(*read), text);
  EXPECT_EQ(read->ran, state.ran);
  EXPECT_EQ(read->references[2].hits, 61u);
  EXPECT_EQ(read->seeds[1].seed, 88u);
}

TEST(Feedback, RefusesDamagedState) {
  const std::string text = FeedbackText(SampleState());
  for (const auto& [part, other] :
       {std::pair("\"rounds\":2", "\"rounds\":-2"), std::pair("\"lines\":30,", ""),
        std::pair("[61,61]", "[80]"), std::pair("[77,2]", "[77,\"2\"]"),
        std::pair("\"ran\":[1", "\"ran\":[-1"), std::pair("{\"program\"", "{\"other\"")}) {
    std::string damaged = text;
    const size_t at = damaged.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    damaged.replace(at, std::string(part).size(), other);
    EXPECT_FALSE(ParseFeedback(damaged)) << damaged;
  }
  EXPECT_FALSE(ParseFeedback(text.substr(0, text.size() / 2)));
}

TEST(Feedback, ForgetsWhatIsLongAgo) {
  HitRate lately, before;
  for (const bool hit : {false, true, true}) lately.Add(hit);
  for (const bool hit : {true, true, false}) before.Add(hit);
  EXPECT_GT(lately.weight(), before.weight());
  EXPECT_GT(HitRate().weight(), lately.weight());  // what was not used yet is not put back
  const uint64_t earlier = before.weight();
  for (int i = 0; i < 50; ++i) before.Add(false);
  EXPECT_LT(4 * before.weight(), earlier);
  for (int i = 0; i < 50; ++i) before.Add(true);
  EXPECT_GT(before.weight(), lately.weight());
}

TEST(Feedback, KeepsTheReferencesThatHadNoTest) {
  const FeedbackState state = SampleState();
  for (uint64_t test = 0; test < 50; ++test) {
    TestPlan plain;
    plain.reference = 1;  // neither used nor the best
    plain.seed = 5;
    const TestPlan plan = PlanByFeedback(state, 1, test, plain);
    EXPECT_EQ(plan.reference, 1u);
    EXPECT_EQ(plan.seed, 5u);
  }
}

TEST(Feedback, PrefersWhatHit) {
  const FeedbackState state = SampleState();
  std::vector<size_t> drawn(4);
  std::map<std::string, size_t> preferred;
  size_t seeds = 0, without = 0;
  for (uint64_t test = 0; test < 2000; ++test) {
    TestPlan plain;
    plain.seed = 5;
    const TestPlan plan = PlanByFeedback(state, 1, test, plain);
    const TestPlan again = PlanByFeedback(state, 1, test, plain);
    EXPECT_EQ(plan.reference, again.reference);
    EXPECT_EQ(plan.seed, again.seed);
    EXPECT_EQ(plan.preferred, again.preferred);
    ++drawn[plan.reference];
    // A seed does not run again with the reference with which it was a hit.
    EXPECT_FALSE(plan.seed == 77 && plan.reference == 2);
    seeds += plan.seed != 5;
    without += plan.preferred.empty();
    for (const std::string& name : plan.preferred) ++preferred[name];
  }
  EXPECT_GT(drawn[2], 3 * drawn[3]);
  EXPECT_GT(drawn[0], drawn[3]);
  EXPECT_GT(drawn[3], 0u);
  EXPECT_GT(seeds, 200u);
  EXPECT_GT(without, 800u);
  EXPECT_LT(without, 1200u);
  EXPECT_EQ(preferred["split_block"], 2000 - without);  // there are fewer than are preferred
}

TEST(Feedback, LeavesProgramsAlone) {
  TestPlan plain;
  plain.program = ProgramKind::kGenerated;
  plain.seed = 5;
  plain.varied = false;
  for (uint64_t test = 0; test < 50; ++test) {
    const TestPlan plan = PlanByFeedback(SampleState(), 1, test, plain);
    EXPECT_EQ(plan.seed, 5u);
    EXPECT_EQ(plan.reference, 0u);
    EXPECT_TRUE(plan.preferred.empty());
  }
}

TEST(Feedback, IsStoredWithTheEndOfARound) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  Result<Store> store = Store::Create(folder->path() + "/" + kStoreFile, CampaignInfo());
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(*store->Feedback(), "");  // a campaign without feedback has no such table
  ASSERT_TRUE(store->BeginFeedback());
  EXPECT_FALSE(ReadCoverageCount(*store)->has_value());
  ASSERT_TRUE(store->SetTestBlocks({3, {1, 2}, {"split_block"}}));
  ASSERT_TRUE(store->SetTestBlocks({3, {1, 4}, {"split_block", "copy_value"}}));
  ASSERT_TRUE(store->SetTestBlocks({9, {}, {}}));
  Result<std::vector<TestBlocks>> rows = store->TestBlocksBefore(9);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ((*rows)[0].blocks, (std::vector<uint32_t>{1, 4}));
  EXPECT_EQ((*rows)[0].types, (std::vector<std::string>{"split_block", "copy_value"}));
  TestPlan plan;
  plan.reference = 2;
  plan.seed = 0xfedcba98;
  plan.preferred = {"a", "b"};
  ASSERT_TRUE(store->EndFeedbackRound(FeedbackText(SampleState()), {{12, plan}}, 9));
  rows = store->TestBlocksBefore(100);
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ((*rows)[0].test, 9u);
  EXPECT_TRUE((*rows)[0].blocks.empty());
  const Result<std::vector<FeedbackPlan>> plans = store->FeedbackPlans();
  ASSERT_TRUE(plans) << plans.error().message;
  ASSERT_EQ(plans->size(), 1u);
  EXPECT_EQ((*plans)[0].test, 12u);
  EXPECT_EQ((*plans)[0].plan.reference, 2u);
  EXPECT_EQ((*plans)[0].plan.seed, 0xfedcba98u);
  EXPECT_EQ((*plans)[0].plan.preferred, plan.preferred);
  EXPECT_EQ((*ReadCoverageCount(*store))->lines, 30u);
}

}  // namespace
}  // namespace refract
