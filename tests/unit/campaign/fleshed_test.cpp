// SPDX-License-Identifier: Apache-2.0
#include "campaign/fleshed.h"

#include <gtest/gtest.h>

#include "cfg/parse.h"

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

// SPIRV-Cross makes a continue that goes to the end of a switch of it, so the loop never ends.
TEST(FleshedRun, WhatAToolMakesEndlessIsAHang) {
  flesh::ProgramSpec spec;
  const Result<cfg::Graph> graph =
      cfg::ReadGraphText("0>1 1L[m4c5]>2 2W[m6]>3 3>5,4 4>ret 5>1 6>5");
  ASSERT_TRUE(graph) << graph.error().message;
  spec.tree = cfg::ParseGraph(cfg::InModuleOrder(*graph))->tree;
  spec.options.mode = flesh::Mode::kPhi;
  spec.options.workgroup = 1;
  Result<flesh::Program> program = flesh::MakeProgram(spec);
  ASSERT_TRUE(program) << program.error().message;
  Result<FleshedProgram> fleshed = FleshedProgramOf(spec, std::move(*program));
  ASSERT_TRUE(fleshed) << fleshed.error().message;
  EXPECT_EQ(FaultOfProgram(*fleshed->original), "");
  const FleshedTest test{std::move(*fleshed), std::nullopt};
  CampaignSetup setup;
  setup.time_limit = 10;
  Result<Target> target = FindTarget("spirv-cross-glsl@interp");
  ASSERT_TRUE(target) << target.error().message;
  setup.targets.push_back({std::move(*target), ""});
  Harness harness;
  Hangs hangs(1, {"spirv-cross-glsl@interp"});
  const std::function<bool()> stop = [] { return false; };
  Devices devices(std::map<std::string, std::string>{{"spirv-cross-glsl@interp", ""}});
  RetryingRunner runner(hangs, devices, harness, stop, "test 1");
  const TestPlan plan = Plan(1, false);
  const Result<std::optional<Outcome>> outcome = FleshedRun(setup, plan, test, runner).RunOn(0);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(*outcome);
  EXPECT_EQ((*outcome)->verdict, FailureClass::kHang);
  EXPECT_EQ((*outcome)->signature, "hang spirv-cross-glsl@interp");
  EXPECT_EQ((*outcome)->stage, "spirv-cross-glsl@interp");
}

}  // namespace
}  // namespace refract
