// SPDX-License-Identifier: Apache-2.0
// What a campaign makes of targets that do not end, and of those that are gone then.
#include "campaign/patient_runner.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "harness/health.h"

namespace refract {
namespace {

TEST(PatientRunner, WhatRunsOnALostTargetIsNoFinding) {
  Result<Target> target = FindTarget("lavapipe");
  ASSERT_TRUE(target) << target.error().message;
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const Result<std::string> icd = ReadFile(target->icd);
  ASSERT_TRUE(icd);
  target->icd = folder->path() + "/copy_icd.json";
  ASSERT_TRUE(WriteFile(target->icd, *icd));
  Harness harness;
  Hangs hangs(1, {"lavapipe"});
  const std::function<bool()> stop = [] { return false; };
  PatientRunner runner(hangs, harness, stop);
  Job spinning = HealthJob();
  spinning.fault = TestFault::kSpin;
  spinning.time_limit = 0.3;
  EXPECT_EQ(harness.Try(*target, spinning).verdict, RunVerdict::kHang);
  ASSERT_TRUE(WriteFile(target->icd, "{}"));
  const Result<RunResult> ran = runner.Run("lavapipe", *target, 0, HealthJob(), {});
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(ran->verdict, RunVerdict::kNotUsable);
  EXPECT_NE(ran->detail.find("not usable after a hang"), std::string::npos) << ran->detail;
  EXPECT_EQ(ran->target, "lavapipe");
}

}  // namespace
}  // namespace refract
