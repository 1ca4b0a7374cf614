// SPDX-License-Identifier: Apache-2.0
#include "campaign/fleshed.h"

#include <gtest/gtest.h>

namespace refract {
namespace {

CampaignSetup HundredSteps() {
  CampaignSetup setup;
  setup.max_steps = 100;
  return setup;
}

TestPlan Plan(uint64_t seed, bool varied) {
  TestPlan plan;
  plan.seed = seed;
  plan.fleshed = true;
  plan.varied = varied;
  return plan;
}

TEST(FleshedTest, IsVariedIfThePlanSaysSo) {
  const Result<FleshedTest> plain = MakeFleshedTest(HundredSteps(), Plan(7, false));
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_FALSE(plain->variant);
  const Result<FleshedTest> varied = MakeFleshedTest(HundredSteps(), Plan(7, true));
  ASSERT_TRUE(varied) << varied.error().message;
  ASSERT_TRUE(varied->variant);
  EXPECT_EQ(varied->program.original->words, plain->words());
  EXPECT_NE(varied->words(), plain->words());
}

// Steps made of these programs what spirv-val 2023.1 falsely rejects: one has a switch that no
// branch leads to, one a single-block loop as a continue target.
TEST(FleshedTest, IsLeftAsItIsNearAQuirkOfTheValidator) {
  for (const uint64_t seed : {4236264407, 2364341606}) {
    const Result<FleshedTest> test = MakeFleshedTest(HundredSteps(), Plan(seed, true));
    ASSERT_TRUE(test) << test.error().message;
    EXPECT_FALSE(test->variant);
  }
}

}  // namespace
}  // namespace refract
