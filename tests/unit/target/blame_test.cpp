// SPDX-License-Identifier: Apache-2.0
// Blame, case by case, from tables of runs; and the search for the responsible optimiser pass, with
// passes that only pretend to fail.
#include "target/blame.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "target/optimiser_passes.h"
#include "target/pass_bisect.h"

namespace refract {
namespace {

using List = std::vector<std::string>;

/// A wrong image after one optimiser, drawn by a driver.
BlameTable WrongPicture(ComparedRun variant_driver, ComparedRun variant_interp,
                        ComparedRun made_interp) {
  BlameTable table;
  table.failure = FailureClass::kWrongImage;
  table.driver = "lavapipe";
  table.variant = {"the variant", "", variant_driver, ComparedRun::kNotRun, variant_interp};
  table.made = {{"made", "opt", ComparedRun::kNotRun, ComparedRun::kNotRun, made_interp}};
  return table;
}

std::string Words(const BlameTable& table) {
  const Blame blame = Decide(table);
  return format("{} {}", CulpritName(blame.culprit), blame.stage);
}

TEST(Blame, AWrongImageIsBlamedByWhereElseItIsWrong) {
  EXPECT_EQ(Words(WrongPicture(ComparedRun::kSame, ComparedRun::kSame, ComparedRun::kDiffers)),
            "tool opt");
  EXPECT_EQ(Words(WrongPicture(ComparedRun::kSame, ComparedRun::kSame, ComparedRun::kFails)),
            "tool opt");
  EXPECT_EQ(Words(WrongPicture(ComparedRun::kSame, ComparedRun::kSame, ComparedRun::kSame)),
            "driver lavapipe");
  EXPECT_EQ(Words(WrongPicture(ComparedRun::kSame, ComparedRun::kSame, ComparedRun::kNotRun)),
            "unclear ");
  EXPECT_EQ(Words(WrongPicture(ComparedRun::kNotRun, ComparedRun::kNotRun, ComparedRun::kDiffers)),
            "tool opt");
  // The image is wrong without any tool: blames the driver, unless the variant is wrong.
  EXPECT_EQ(Words(WrongPicture(ComparedRun::kDiffers, ComparedRun::kSame, ComparedRun::kSame)),
            "driver lavapipe");
  EXPECT_EQ(Words(WrongPicture(ComparedRun::kDiffers, ComparedRun::kNotRun, ComparedRun::kNotRun)),
            "driver lavapipe");
  EXPECT_EQ(
      Words(WrongPicture(ComparedRun::kDiffers, ComparedRun::kDiffers, ComparedRun::kDiffers)),
      "ours ");
  EXPECT_EQ(Words(WrongPicture(ComparedRun::kSame, ComparedRun::kDiffers, ComparedRun::kDiffers)),
            "ours ");
  EXPECT_EQ(Words(WrongPicture(ComparedRun::kSame, ComparedRun::kFails, ComparedRun::kSame)),
            "ours ");
}

TEST(Blame, ASecondDriverDecidesIfTheInterpreterCannot) {
  BlameTable table = WrongPicture(ComparedRun::kSame, ComparedRun::kNotRun, ComparedRun::kNotRun);
  table.made[0].second = ComparedRun::kDiffers;
  EXPECT_EQ(Words(table), "tool opt");
  table.made[0].second = ComparedRun::kSame;
  EXPECT_EQ(Words(table), "driver lavapipe");
  table.made[0].interp = ComparedRun::kDiffers;  // the interpreter takes precedence
  EXPECT_EQ(Words(table), "tool opt");
  table.variant.driver = ComparedRun::kDiffers;
  table.variant.second = ComparedRun::kDiffers;
  EXPECT_EQ(Words(table), "ours ");
}

TEST(Blame, BlamesTheFirstToolWhoseOutputIsWrong) {
  BlameTable table = WrongPicture(ComparedRun::kSame, ComparedRun::kSame, ComparedRun::kSame);
  table.made.push_back({"made", "cross + glslang", ComparedRun::kNotRun, ComparedRun::kNotRun,
                        ComparedRun::kDiffers});
  EXPECT_EQ(Words(table), "tool cross + glslang");
  table.made[0].interp = ComparedRun::kFails;
  EXPECT_EQ(Words(table), "tool opt");
}

TEST(Blame, ADriverIsBlamedForACrashOnValidToolOutput) {
  BlameTable table = WrongPicture(ComparedRun::kSame, ComparedRun::kSame, ComparedRun::kSame);
  table.failure = FailureClass::kCrash;
  EXPECT_EQ(Words(table), "driver lavapipe");
  table.made[0].interp = ComparedRun::kNotRun;  // it is valid, so the driver must not crash
  EXPECT_EQ(Words(table), "driver lavapipe");
  table.made[0].interp = ComparedRun::kFails;
  EXPECT_EQ(Words(table), "tool opt");
  table.variant.driver = ComparedRun::kFails;
  EXPECT_EQ(Words(table), "driver lavapipe");
}

TEST(Blame, ADriverWithoutToolsIsBlamedUnlessTheVariantIsWrong) {
  BlameTable table = WrongPicture(ComparedRun::kDiffers, ComparedRun::kSame, ComparedRun::kNotRun);
  table.made.clear();
  EXPECT_EQ(Words(table), "driver lavapipe");
  table.variant.interp = ComparedRun::kDiffers;
  EXPECT_EQ(Words(table), "ours ");
  table.variant.interp = table.variant.driver = ComparedRun::kSame;
  EXPECT_EQ(Words(table), "unclear ");  // it did not happen again
}

TEST(Blame, InvalidOutputIsBlamedOnTheToolOrTheValidator) {
  BlameTable table;
  table.failure = FailureClass::kInvalidOutput;
  table.command = "opt";
  EXPECT_EQ(Words(table), "tool opt");
  table.about_control_flow = true;
  EXPECT_EQ(Words(table), "unclear ");
  table.quirk = "case_exit_by_depth";
  EXPECT_EQ(Words(table), "validator spirv-val");
  table.output_refusal = "id-dominance: something";
  EXPECT_EQ(Words(table), "tool opt");
  EXPECT_EQ(Decide(table).reason,
            "Refract's rules refuse the module, too: id-dominance: something");
  table.variant_refusal = "limits: something";
  EXPECT_EQ(Words(table), "ours ");
}

TEST(Blame, AFailingCommandIsBlamed) {
  BlameTable table;
  table.command = "opt";
  for (const FailureClass failure :
       {FailureClass::kCrash, FailureClass::kHang, FailureClass::kError, FailureClass::kRejected}) {
    table.failure = failure;
    EXPECT_EQ(Words(table), "tool opt");
  }
  table.command = "glslang";
  table.text_producer = "cross";
  EXPECT_EQ(Words(table), "tool cross");
  table.failure = FailureClass::kCrash;
  EXPECT_EQ(Words(table), "tool glslang");
  table.variant_refusal = "limits: something";
  EXPECT_EQ(Words(table), "ours ");
}

TEST(Blame, AValidatorIsBlamedForAWrongRefusal) {
  BlameTable table;
  table.command = "spirv-val";
  table.only_validates = true;
  table.failure = FailureClass::kRejected;
  EXPECT_EQ(Words(table), "unclear ");
  table.about_control_flow = true;
  EXPECT_EQ(Words(table), "validator spirv-val");
  table.variant_refusal = table.output_refusal = "limits: something";
  EXPECT_EQ(Words(table), "ours ");
  table.variant_refusal = table.output_refusal = "";
  table.failure = FailureClass::kCrash;
  EXPECT_EQ(Words(table), "tool spirv-val");
}

TEST(Blame, TextIsOneLine) {
  Blame blame;
  blame.culprit = Culprit::kTool;
  blame.stage = "spirv-opt";
  blame.reason = "because";
  EXPECT_EQ(blame.Text(), "tool spirv-opt: because");
  blame.pass = {7, 12, "--ccp", true};
  EXPECT_EQ(blame.Text(), "tool spirv-opt, pass 7 of 12: --ccp (alone, too): because");
}

/// Passes of which a list fails once `guilty` runs after `before`.
std::optional<FailingPass> Bisect(const List& flags, const std::string& guilty,
                                  const std::string& before = {}) {
  const auto fails = [&](const List& list) {
    const auto at = std::find(list.begin(), list.end(), guilty);
    return at != list.end() && (before.empty() || std::find(list.begin(), at, before) != at);
  };
  return BisectPasses(flags, fails, [&](size_t, const std::string& flag) {
    return flag == guilty && before.empty();
  });
}

TEST(PassBisect, FindsThePassWhereTheFailureBegins) {
  List flags;
  for (int i = 1; i <= 44; ++i) flags.push_back(format("--p{}", i));
  for (size_t i = 1; i <= flags.size(); ++i) {
    const auto found = Bisect(flags, flags[i - 1]);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->number, i);
    EXPECT_EQ(found->count, 44u);
    EXPECT_EQ(found->flag, flags[i - 1]);
    EXPECT_TRUE(found->alone);
  }
  const auto pair = Bisect(flags, "--p30", "--p7");
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->number, 30u);
  EXPECT_FALSE(pair->alone);
  EXPECT_FALSE(Bisect(flags, "--other"));
  EXPECT_FALSE(Bisect({}, "--p1"));
  // If the failure occurs without any pass, no pass is responsible.
  EXPECT_FALSE(BisectPasses(
      flags, [](const List&) { return true; }, [](size_t, const std::string&) { return true; }));
}

TEST(PassBisect, FindsAndReplacesThePassesOfACommand) {
  CommandStep step;
  step.argv = {"/opt/bin/my-spirv-opt",
               "--target-env={env}",
               "--ccp",
               "{in}",
               "--scalar-replacement=7",
               "-o",
               "{out}"};
  EXPECT_EQ(PassesOf(step), (List{"--ccp", "--scalar-replacement=7"}));
  EXPECT_EQ(
      WithPassFlags(step, {"--a", "--b"}).argv,
      (List{"/opt/bin/my-spirv-opt", "--target-env={env}", "--a", "--b", "{in}", "-o", "{out}"}));
  step.argv = {"spirv-opt", "{passes}", "{in}", "-o", "{out}"};
  step.passes = {"--merge-blocks"};
  EXPECT_EQ(PassesOf(step), List{"--merge-blocks"});
  EXPECT_EQ(WithPassFlags(step, {}).argv, (List{"spirv-opt", "{in}", "-o", "{out}"}));
  step.argv[0] = "spirv-cross";
  EXPECT_EQ(PassesOf(step), List{});
}

}  // namespace
}  // namespace refract
