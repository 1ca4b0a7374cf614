// SPDX-License-Identifier: Apache-2.0
// What a harness does after Stop, and how it checks a driver.
#include <gtest/gtest.h>

#include <thread>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "target/harness.h"
#include "target/health.h"
#include "target/interpreted.h"
#include "unit/shared/tool_target.h"

namespace refract {
namespace {

class HarnessStop : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Target> found = FindTarget("lavapipe");
    ASSERT_TRUE(found) << found.error().message;
    target_ = *found;
  }
  Target target_;
  Harness harness_;
};

TEST_F(HarnessStop, CutsOffARunAndRefusesLaterOnes) {
  EXPECT_EQ(harness_.Try(target_, HealthJob()).verdict, RunOutcome::kOk);
  Job endless = HealthJob();
  endless.fault = TestFault::kSpin;
  endless.time_limit = 1000;  // the test would time out
  std::thread stops([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    harness_.Stop();
  });
  const Result<RunResult> ran = harness_.Run(target_, endless);
  stops.join();
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().kind, ErrorKind::kFailed);
  EXPECT_EQ(ran.error().message, "target lavapipe: stopped");
  EXPECT_FALSE(harness_.IsLost(target_));
  EXPECT_EQ(harness_.TryAlone(target_, HealthJob()).verdict, RunOutcome::kOurError);
  EXPECT_FALSE(harness_.CheckDriver(target_));
}

TEST_F(HarnessStop, CutsOffATool) {
  const Target target = ToolTarget({"/bin/sleep", "1000"}, 1000);
  EXPECT_FALSE(harness_.DriverUnder(target));
  std::thread stops([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    harness_.Stop();
  });
  Job job = HealthJob();
  job.time_limit = 1000;
  const Result<RunResult> ran = harness_.Run(target, job);
  stops.join();
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().kind, ErrorKind::kFailed);
}

TEST_F(HarnessStop, TheInterpreterEndsToo) {
  const std::atomic<bool> stop{true};
  Job job = HealthJob();
  job.bindings.width = job.bindings.height = 1024;  // more work than between two checks
  job.time_limit = 1000;
  const Result<RunResult> ran = RunInterpreted(job, &stop);
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(ran->verdict, RunOutcome::kHang) << ran->detail;
}

TEST_F(HarnessStop, CheckDriverFindsOutWhetherADriverWorks) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const Result<std::string> icd = ReadFile(target_.icd);
  ASSERT_TRUE(icd);
  target_.icd = folder->path() + "/copy_icd.json";
  ASSERT_TRUE(WriteFile(target_.icd, *icd));
  EXPECT_EQ(harness_.DriverUnder(target_)->name, "lavapipe");
  EXPECT_TRUE(harness_.CheckDriver(target_));
  EXPECT_FALSE(harness_.IsLost(target_));
  ASSERT_TRUE(WriteFile(target_.icd, "{}"));
  EXPECT_FALSE(harness_.CheckDriver(target_)) << "a new worker must be started";
  EXPECT_TRUE(harness_.IsLost(target_));
  ASSERT_TRUE(WriteFile(target_.icd, *icd));
  EXPECT_TRUE(harness_.CheckDriver(target_));
  EXPECT_FALSE(harness_.IsLost(target_));
}

}  // namespace
}  // namespace refract
