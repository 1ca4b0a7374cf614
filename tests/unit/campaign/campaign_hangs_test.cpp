// SPDX-License-Identifier: Apache-2.0
// What hangs may cost a campaign.
#include <gtest/gtest.h>

#include "campaign/hangs.h"

namespace refract {
namespace {

constexpr double kForEver = 1e9;  // seconds

TEST(CampaignHangs, AreConfirmedInFullOnceOnlyForEachSignature) {
  Hangs hangs(2, {"x", "y", "z"});
  EXPECT_EQ(hangs.RunsToConfirm("hang a"), 3);
  hangs.Add("x", "hang a", 10, 90, true);
  EXPECT_EQ(hangs.RunsToConfirm("hang a"), 1);
  EXPECT_EQ(hangs.RunsToConfirm("hang b"), 3);
  hangs.Add("x", "hang a", 10, 30, true);
  EXPECT_EQ(hangs.RunsToConfirm("hang a"), 1);
  hangs.Add("y", "hang a", 10, 30, true);
  EXPECT_EQ(hangs.RunsToConfirm("hang a"), 0);
}

TEST(CampaignHangs, OneOfSeveralAtATimeConfirms) {
  Hangs hangs(2, {"x", "y", "z"});
  EXPECT_EQ(hangs.RunsToConfirm("hang a"), 3);
  EXPECT_EQ(hangs.RunsToConfirm("hang a"), 1);
  EXPECT_EQ(hangs.RunsToConfirm("hang b"), 3);
  hangs.Add("x", "hang a", 10, 30, false);
  hangs.Add("x", "hang a", 10, 30, false);
  EXPECT_EQ(hangs.RunsToConfirm("hang a"), 3) << "both were slow";
}

TEST(CampaignHangs, WhatIsSlowConfirmsNothing) {
  Hangs hangs(2, {"x", "y", "z"});
  for (int i = 0; i < 5; ++i) hangs.Add("x", "hang a", 10, 30, false);
  EXPECT_EQ(hangs.RunsToConfirm("hang a"), 3);
}

TEST(CampaignHangs, EarlierPartsCount) {
  Hangs hangs(2, {"x", "y", "z"});
  hangs.AddEarlierTests("hang a", 2);
  EXPECT_EQ(hangs.RunsToConfirm("hang a"), 1);
  hangs.AddEarlierTests("hang b", 7);
  EXPECT_EQ(hangs.RunsToConfirm("hang b"), 0);
}

TEST(CampaignHangs, ATargetThatTakesTooMuchTimeIsPassedOver) {
  Hangs hangs(2, {"x", "y", "z"});
  // What confirms a bucket is free.
  for (uint64_t i = 0; i < Hangs::kConfirmedTests; ++i) {
    EXPECT_TRUE(hangs.Allows("x"));
    hangs.Add("x", "hang a", kForEver, kForEver, true);
  }
  EXPECT_TRUE(hangs.Allows("x"));
  EXPECT_TRUE(hangs.SkippedTests().empty());
  hangs.Add("x", "hang a", kForEver, 0, true);
  EXPECT_FALSE(hangs.Allows("x"));
  EXPECT_FALSE(hangs.Allows("x"));
  EXPECT_TRUE(hangs.Allows("y"));
  EXPECT_EQ(hangs.SkippedTests(), (std::map<std::string, uint64_t>{{"x", 2}}));
  hangs.Add("y", "hang c", 0, kForEver, false);
  EXPECT_FALSE(hangs.Allows("y")) << "slow tests take time as well";
}

TEST(CampaignHangs, WhereAllTargetsTakeTooMuchTimeNoneIsPassedOver) {
  Hangs hangs(2, {"x", "y"});
  hangs.Add("x", "slow x", kForEver, 0, false);
  EXPECT_FALSE(hangs.Allows("x"));
  hangs.Add("y", "slow y", kForEver, 0, false);
  EXPECT_TRUE(hangs.Allows("x"));
  EXPECT_TRUE(hangs.Allows("y"));
  EXPECT_EQ(hangs.SkippedTests(), (std::map<std::string, uint64_t>{{"x", 1}}));
}

TEST(CampaignHangs, OneSlowTestIsNotHeldAgainstATargetAtTheBeginning) {
  Hangs hangs(2, {"x", "y", "z"});
  hangs.Add("x", "hang a", 30, 0, false);
  EXPECT_TRUE(hangs.Allows("x"));
  hangs.Add("x", "hang a", 30, 60, false);  // 60 seconds in which the other thread waits, too
  EXPECT_FALSE(hangs.Allows("x"));
}

}  // namespace
}  // namespace refract
