// SPDX-License-Identifier: Apache-2.0
// The stored texts of states. They are part of the file formats: a change here makes stores, events
// and stats.json of earlier campaigns unreadable.
#include "campaign/states.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "campaign/store/sql.h"
#include "campaign/store/store.h"

namespace refract {
namespace {

// All texts of the enumerators from 0 to `last`, after each was converted there and back.
template <class State>
std::string Texts(State last) {
  std::string texts;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto state = static_cast<State>(i);
    State read = last;
    EXPECT_TRUE(FromText(TextOf(state), &read)) << i;
    EXPECT_EQ(read, state);
    texts += (i == 0 ? "" : " ") + std::string(TextOf(state));
  }
  return texts;
}

TEST(CampaignStates, TextsAreThoseOfTheStore) {
  EXPECT_EQ(Texts(ReferenceStability::kUnknown), "exact stable sampled unstable undefined unknown");
  EXPECT_EQ(Texts(BaselineState::kUnsupported), "ok differs varies fails unsupported");
  EXPECT_EQ(Texts(KeptState::kFailed), "found confirmed not_repeated reduced ended failed");
  EXPECT_EQ(Texts(FailureClass::kOurError),
            "unknown crash hang rejected invalid_output device_lost error wrong_image wrong_buffer "
            "slow non_deterministic out_of_memory unsupported undefined_behaviour "
            "target_not_usable our_error");
}

TEST(CampaignStates, TextsForPeopleAndPrograms) {
  EXPECT_EQ(TextOf(CampaignPhase::kReferences), "references");
  EXPECT_EQ(TextOf(CampaignPhase::kTests), "tests");
  EXPECT_EQ(TextOf(CampaignPhase::kReducing), "reducing");
  EXPECT_EQ(TextOf(CampaignState::kRunning), "running");
  EXPECT_EQ(TextOf(CampaignState::kEnded), "ended");
  EXPECT_EQ(TextOf(CampaignState::kMerged), "merged");
}

TEST(CampaignStates, AnOutcomeIsOkOrAFailure) {
  EXPECT_EQ(TextOf(OutcomeVerdict()), "ok");
  EXPECT_EQ(TextOf(OutcomeVerdict(FailureClass::kHang)), "hang");
  OutcomeVerdict verdict = FailureClass::kCrash;
  EXPECT_TRUE(FromText("ok", &verdict));
  EXPECT_EQ(verdict, std::nullopt);
  EXPECT_TRUE(FromText("wrong_buffer", &verdict));
  EXPECT_EQ(verdict, FailureClass::kWrongBuffer);
}

TEST(CampaignStates, OtherTextsAreRefusedAndSetNothing) {
  KeptState kept = KeptState::kReduced;
  BaselineState baseline = BaselineState::kVaries;
  ReferenceStability stability = ReferenceStability::kSampled;
  FailureClass failure = FailureClass::kHang;
  OutcomeVerdict verdict = FailureClass::kHang;
  for (const char* text : {"", "Found", "found ", "own_error", "nix"}) {
    EXPECT_FALSE(FromText(text, &kept)) << text;
    EXPECT_FALSE(FromText(text, &baseline)) << text;
    EXPECT_FALSE(FromText(text, &stability)) << text;
    EXPECT_FALSE(FromText(text, &failure)) << text;
    EXPECT_FALSE(FromText(text, &verdict)) << text;
  }
  EXPECT_FALSE(FromText("ok", &failure)) << "no failure";
  EXPECT_EQ(kept, KeptState::kReduced);
  EXPECT_EQ(baseline, BaselineState::kVaries);
  EXPECT_EQ(stability, ReferenceStability::kSampled);
  EXPECT_EQ(failure, FailureClass::kHang);
  EXPECT_EQ(verdict, FailureClass::kHang);
}

TEST(CampaignStates, WhatFollowsFromThem) {
  EXPECT_EQ(StabilityOf(Stability::kExact), ReferenceStability::kExact);
  EXPECT_EQ(StabilityOf(Stability::kStable), ReferenceStability::kStable);
  EXPECT_EQ(StabilityOf(Stability::kUnstable), ReferenceStability::kUnstable);
  EXPECT_TRUE(RunsVariants(BaselineState::kDiffers));
  EXPECT_FALSE(RunsVariants(BaselineState::kFails));
  EXPECT_FALSE(RunsVariants(BaselineState::kUnsupported));
  EXPECT_TRUE(HasReduction(KeptState::kEnded));
  EXPECT_FALSE(HasReduction(KeptState::kConfirmed));
}

// Nothing may take a damaged store for one in which the state has some default.
TEST(CampaignStates, AnUnknownOneInAStoreIsAnErrorThatNamesTheFile) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const std::string path = folder->path() + "/" + kStoreFile;
  {
    Result<Store> store = Store::Create(path, {});
    ASSERT_TRUE(store) << store.error().message;
    ASSERT_TRUE(store->SetTargets({{0, "one", "render", "1.0"}}));
    ASSERT_TRUE(store->SetReference({0, "a.frag", "00", ReferenceStability::kExact, false, ""}));
    ASSERT_TRUE(store->SetBaseline({"a.frag", "one", BaselineState::kOk, "", 0, ""}));
    CampaignTest test;
    test.reference = "a.frag";
    test.outcomes = {{"one", FailureClass::kCrash, "crash one", 0}};
    ASSERT_TRUE(store->AddTest(test, [](const Outcome&) { return Filing(); }));
    EXPECT_EQ(store->Kept()->front().state, KeptState::kFound);
    EXPECT_EQ(store->Test(0)->outcomes[0].verdict, FailureClass::kCrash);
  }
  {
    Result<Database> database = Database::Open(path, Database::Mode::kWrite);
    ASSERT_TRUE(database);
    ASSERT_TRUE(
        database->Run("UPDATE originals SET stability = 'nix'; UPDATE baselines SET state = 'nix'; "
                      "UPDATE kept SET state = 'nix'; UPDATE buckets SET verdict = 'ok'; "
                      "UPDATE outcomes SET verdict = 'nix'"));
  }
  Result<Store> store = Store::Read(path);
  ASSERT_TRUE(store);
  EXPECT_FALSE(store->References());
  EXPECT_FALSE(store->Baselines());
  EXPECT_FALSE(store->Buckets());
  EXPECT_FALSE(store->Verdicts());
  EXPECT_FALSE(store->Test(0));
  EXPECT_FALSE(store->ForEachTest([](const CampaignTest&) {}));
  const Result<std::vector<KeptTest>> kept = store->Kept();
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().kind, ErrorKind::kBadInput);
  EXPECT_EQ(kept.error().message,
            path + ": damaged, or not made by a campaign: unknown state 'nix'");
}

}  // namespace
}  // namespace refract
