// SPDX-License-Identifier: Apache-2.0
// What a campaign makes of targets that do not end, and of those that are gone then.
#include "campaign/retrying_runner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "target/health.h"

namespace refract {
namespace {

class RetryingRunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Target> found = FindTarget("lavapipe");
    ASSERT_TRUE(found) << found.error().message;
    target_ = *found;
    const Result<std::string> icd = ReadFile(target_.icd);
    ASSERT_TRUE(icd);
    target_.icd = folder_->path() + "/copy_icd.json";
    ASSERT_TRUE(WriteFile(target_.icd, *icd));
    EXPECT_EQ(harness_.Try(target_, HealthJob()).verdict, RunOutcome::kOk);
    spinning_.fault = TestFault::kSpin;
    spinning_.time_limit = 0.5;
  }
  // From now on no driver can be opened; one that is open goes on.
  void LoseDriver() { EXPECT_TRUE(WriteFile(target_.icd, "{}")); }

  const Result<TemporaryFolder> folder_ = TemporaryFolder::Make();
  const std::function<bool()> stop_ = [] { return false; };
  Target target_;
  Job spinning_ = HealthJob();
  Harness harness_;
  Hangs hangs_{1, {"lavapipe"}};
  Devices devices_{std::map<std::string, std::string>{{"lavapipe", "lavapipe"}}};
  RetryingRunner runner_{hangs_, devices_, harness_, stop_, "test 7"};
};

TEST_F(RetryingRunnerTest, WhatRunsOnALostTargetIsNoFinding) {
  EXPECT_EQ(harness_.Try(target_, spinning_).verdict, RunOutcome::kHang);
  LoseDriver();
  const Result<RunResult> ran = runner_.Run("lavapipe", target_, 0, HealthJob(), {});
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(ran->verdict, RunOutcome::kNotUsable);
  EXPECT_EQ(ran->detail.find("target lavapipe: not usable after a hang"), 0u) << ran->detail;
  EXPECT_EQ(ran->target, "lavapipe");
  EXPECT_FALSE(runner_.Allows("lavapipe"));
  const std::vector<DeviceNews> news = devices_.TakeNews();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(TextOf(news[0]),
            "lavapipe: device lost in test 7; not usable since then: " + ran->detail);
}

TEST_F(RetryingRunnerTest, ALostDeviceIsNotTriedInEachTest) {
  EXPECT_EQ(harness_.Try(target_, HealthJob()).verdict, RunOutcome::kOk);
  devices_.Lose("lavapipe", "test 6", "why");
  // The driver works, so a try would succeed and the hang would be confirmed.
  const Result<RunResult> ran = runner_.Run("lavapipe", target_, 0, spinning_, {});
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(ran->verdict, RunOutcome::kNotUsable);
}

TEST_F(RetryingRunnerTest, AHangThatNobodyCanConfirmIsTold) {
  std::thread while_it_hangs([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    LoseDriver();
  });
  const Result<RunResult> ran = runner_.Run("lavapipe", target_, 0, spinning_, {});
  while_it_hangs.join();
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(ran->verdict, RunOutcome::kNotUsable);
  EXPECT_EQ(ran->detail.find("after no answer within"), 0u) << ran->detail;
  EXPECT_FALSE(devices_.IsUsable("lavapipe"));
}

}  // namespace
}  // namespace refract
