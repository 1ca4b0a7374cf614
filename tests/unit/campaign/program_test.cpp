// SPDX-License-Identifier: Apache-2.0
#include "campaign/programs/program_test.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "cfg/parse.h"

namespace refract {
namespace {

CampaignSetup HundredSteps() {
  CampaignSetup setup;
  setup.max_steps = 100;
  return setup;
}

TestPlan Plan(uint64_t seed, bool varied, ProgramKind kind = ProgramKind::kControlFlow) {
  TestPlan plan;
  plan.seed = seed;
  plan.program = kind;
  plan.varied = varied;
  return plan;
}

TEST(ProgramTest, IsVariedIfThePlanSaysSo) {
  for (const ProgramKind kind : {ProgramKind::kControlFlow, ProgramKind::kGenerated}) {
    const Result<ProgramTest> plain = MakeProgramTest(HundredSteps(), Plan(7, false, kind));
    ASSERT_TRUE(plain) << plain.error().message;
    EXPECT_FALSE(plain->variant);
    EXPECT_EQ(plain->program->kind(), kind);
    EXPECT_EQ(plain->program->seed(), 7u);
    EXPECT_EQ(FaultOfProgram(plain->program->original()), "");
    const Result<ProgramTest> varied = MakeProgramTest(HundredSteps(), Plan(7, true, kind));
    ASSERT_TRUE(varied) << varied.error().message;
    ASSERT_TRUE(varied->variant);
    EXPECT_EQ(varied->program->original().words, plain->words());
    EXPECT_NE(varied->words(), plain->words());
  }
}

// Steps made of these programs what spirv-val 2023.1 falsely rejects: one has a switch that no
// branch leads to, one a single-block loop as a continue target.
TEST(ProgramTest, IsLeftAsItIsNearAQuirkOfTheValidator) {
  for (const uint64_t seed : {4236264407, 2364341606}) {
    const Result<ProgramTest> test = MakeProgramTest(HundredSteps(), Plan(seed, true));
    ASSERT_TRUE(test) << test.error().message;
    EXPECT_FALSE(test->variant);
  }
}

TEST(ProgramTest, TheCommandMakesTheProgram) {
  const CampaignSetup setup;
  for (const ProgramKind kind : {ProgramKind::kControlFlow, ProgramKind::kGenerated}) {
    const TestPlan plan = Plan(9, false, kind);
    const Result<ProgramTest> test = MakeProgramTest(setup, plan);
    ASSERT_TRUE(test) << test.error().message;
    EXPECT_EQ(ProgramCommand(setup, plan), test->program->Command());
    EXPECT_EQ(test->program->Description().empty(), kind == ProgramKind::kGenerated);
    const bool generated = kind == ProgramKind::kGenerated;
    EXPECT_EQ(test->program->Command().rfind(generated ? "refract generate " : "refract flesh ", 0),
              0u);
  }
}

TEST(ProgramTest, AGeneratedProgramIsReducedByItsRecipe) {
  const Result<ProgramTest> test =
      MakeProgramTest(CampaignSetup(), Plan(9, false, ProgramKind::kGenerated));
  ASSERT_TRUE(test) << test.error().message;
  const auto has_subtraction = [](const TestProgram& program) {
    const std::vector<uint32_t>& words = program.original().words;
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      if ((words[at] & 0xffff) == static_cast<uint32_t>(spv::Op::OpISub)) return true;
    }
    return false;
  };
  ASSERT_TRUE(has_subtraction(*test->program)) << "choose another seed";
  const Result<ReducedTestProgram> reduced = test->program->Reduce(
      [&](const std::shared_ptr<const TestProgram>& candidate) -> Result<bool> {
        return has_subtraction(*candidate);
      },
      [] { return false; });
  ASSERT_TRUE(reduced) << reduced.error().message;
  EXPECT_TRUE(reduced->minimal);
  EXPECT_TRUE(has_subtraction(*reduced->program));
  EXPECT_LT(5 * reduced->program->original().words.size(), test->words().size());
  EXPECT_NE(reduced->program->Shape(), test->program->Shape());
  EXPECT_EQ(FaultOfProgram(reduced->program->original()), "");
}

Result<std::shared_ptr<const TestProgram>> ProgramOf(const std::string& graph_text) {
  flesh::ProgramSpec spec;
  const Result<cfg::Graph> graph = cfg::ReadGraphText(graph_text);
  if (!graph) return graph.error();
  spec.tree = cfg::ParseGraph(cfg::InModuleOrder(*graph))->tree;
  spec.options.mode = flesh::Mode::kPhi;
  spec.options.workgroup = 1;
  Result<flesh::Program> program = flesh::MakeProgram(spec);
  if (!program) return program.error();
  return TestProgramOf(spec, std::move(*program));
}

// Runs the program of a graph on the only target of a campaign.
Result<std::optional<Outcome>> RunGraph(const std::string& graph_text, Target target) {
  Result<std::shared_ptr<const TestProgram>> program = ProgramOf(graph_text);
  if (!program) return program.error();
  EXPECT_EQ((*program)->Fault(nullptr), "");
  const ProgramTest test{std::move(*program), std::nullopt};
  CampaignSetup setup;
  setup.time_limit = 10;
  const std::string name = target.name;
  setup.targets.push_back({std::move(target), ""});
  Harness harness;
  Hangs hangs(1, {name});
  const std::function<bool()> stop = [] { return false; };
  Devices devices(std::map<std::string, std::string>{{name, ""}});
  RetryingRunner runner(hangs, devices, harness, stop, "test 1");
  return ProgramRun(setup, Plan(1, false), test, runner, harness).RunOn(0);
}

// A tool with one command. Its output runs on lavapipe.
Target Tool(const std::string& command) {
  Result<CommandTarget> read = ParseCommandTarget("/t.json", format(R"({{
    "name": "tool", "description": "a tool", "render": "lavapipe",
    "commands": [{{"run": {}, "output": "spirv"}}]}})",
                                                                    command));
  EXPECT_TRUE(read) << read.error().message;
  Target target;
  target.name = "tool";
  target.kind = Target::Kind::kCommand;
  target.command = std::make_shared<const CommandTarget>(std::move(*read));
  return target;
}

// SPIRV-Cross makes a continue that goes to the end of a switch of it, so the loop never ends.
TEST(ProgramRun, WhatAToolMakesEndlessIsAHang) {
  Result<Target> target = FindTarget("spirv-cross-glsl@interp");
  ASSERT_TRUE(target) << target.error().message;
  const Result<std::optional<Outcome>> outcome =
      RunGraph("0>1 1L[m4c5]>2 2W[m6]>3 3>5,4 4>ret 5>1 6>5", std::move(*target));
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(*outcome);
  EXPECT_EQ((*outcome)->verdict, FailureClass::kHang);
  EXPECT_EQ((*outcome)->signature, "hang spirv-cross-glsl@interp");
  EXPECT_EQ((*outcome)->stage, "spirv-cross-glsl@interp");
}

// lavapipe rejects a selection with one side that branches to the other. The tool only copies.
TEST(ProgramRun, AFailureOfTheDriverIsNotThatOfTheTool) {
  const char* const graph = "0S[m3]>2,1 1>2 2>3 3>ret";
  Result<Target> driver = FindTarget("lavapipe");
  ASSERT_TRUE(driver) << driver.error().message;
  const Result<std::optional<Outcome>> alone = RunGraph(graph, std::move(*driver));
  ASSERT_TRUE(alone) << alone.error().message;
  ASSERT_TRUE(*alone && (*alone)->verdict) << "lavapipe runs the program now; use another";

  const Result<std::optional<Outcome>> outcome =
      RunGraph(graph, Tool(R"(["cp", "{in}", "{out}"])"));
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(*outcome);
}

// The tool writes the program of another graph. lavapipe runs both correctly.
TEST(ProgramRun, AWrongOutputOfAToolIsNotThatOfTheDriver) {
  const Result<std::shared_ptr<const TestProgram>> other = ProgramOf("0>1 1>ret");
  ASSERT_TRUE(other) << other.error().message;
  const std::string file = ::testing::TempDir() + "/other_program.spv";
  const std::vector<uint32_t>& words = (*other)->original().words;
  ASSERT_TRUE(WriteFile(file, {reinterpret_cast<const char*>(words.data()), words.size() * 4}));
  const Result<std::optional<Outcome>> outcome =
      RunGraph("0>1 1>2 2>ret",
               Tool(format(R"(["sh", "-c", "cp {} $1", "sh", "{{out}}", "{{in}}"])", file)));
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(*outcome && (*outcome)->verdict);
  EXPECT_EQ((*outcome)->signature, "wrong_buffer tool");
}

}  // namespace
}  // namespace refract
