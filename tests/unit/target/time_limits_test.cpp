// SPDX-License-Identifier: Apache-2.0
// A variant has at least the time limit that its original needed. A tool that is over its limit is
// repeated alone only if other jobs may have slowed it.
#include "target/time_limits.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/temporary_folder.h"
#include "base/text.h"
#include "target/health.h"
#include "unit/shared/tool_target.h"

namespace refract {
namespace {

TEST(PairLimit, GivesAVariantEnoughTime) {
  EXPECT_EQ(PairLimit(10, 0), 200);    // the original
  EXPECT_EQ(PairLimit(10, 0.01), 10);  // the variant of a fast original
  EXPECT_EQ(PairLimit(10, 3), 60);
  EXPECT_EQ(PairLimit(10, 10.5), 200);  // the variant of a very slow original
  EXPECT_EQ(PairLimit(10, 150), 200);
  EXPECT_EQ(PairLimit(2, 1.5), 30);
}

Target ShellTool(const std::string& script, double time_limit) {
  return ToolTarget({"/bin/sh", "-c", script}, time_limit);
}

// Repeats a tool that loops until another job of the harness has run. Alone it never ends.
class RepeatedTool : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> folder = TemporaryFolder::Make();
    ASSERT_TRUE(folder);
    folder_ = std::make_unique<TemporaryFolder>(std::move(*folder));
    over_.target = "tool";
    over_.verdict = RunOutcome::kHang;
    over_.seconds = 10;
  }

  RunResult Repeat(double time_limit) {
    const std::string began = folder_->path() + "/began", other = folder_->path() + "/other";
    const Target waits =
        ShellTool(format(": > {}; until test -e {}; do :; done", began, other), time_limit);
    const Target ends = ShellTool(format(": > {}", other), 1000);
    std::thread beside([&] {
      while (!std::filesystem::exists(began)) std::this_thread::yield();
      harness_.Try(ends, HealthJob());
    });
    const RunResult result = TimeLimits(harness_, waits, 0).Repeat(HealthJob(), over_);
    beside.join();
    return result;
  }

  std::unique_ptr<TemporaryFolder> folder_;
  Harness harness_;
  RunResult over_;
};

TEST_F(RepeatedTool, RunsBesideOthersIfItHadAProcessor) {
  over_.cpu_seconds = 9;
  const RunResult result = Repeat(1000);
  EXPECT_EQ(result.verdict, RunOutcome::kSlow) << result.detail;
}

TEST_F(RepeatedTool, RunsAloneIfItMayHaveWaited) {
  over_.cpu_seconds = 5;
  const RunResult result = Repeat(1);
  EXPECT_EQ(result.verdict, RunOutcome::kHang) << result.detail;
}

TEST_F(RepeatedTool, RunsAloneIfTheDriverAfterItHangs) {
  over_.cpu_seconds = 10;
  over_.target = "driver";
  const RunResult result = Repeat(1);
  EXPECT_EQ(result.verdict, RunOutcome::kHang) << result.detail;
}

}  // namespace
}  // namespace refract
