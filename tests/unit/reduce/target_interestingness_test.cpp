// SPDX-License-Identifier: Apache-2.0
// The interestingness tests that run candidates on the interpreter and on targets. Our steps do not
// change what is computed, so the variants here are unrelated modules.
#include "reduce/target_interestingness.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "engine/original.h"
#include "ir/tools.h"
#include "reduce/failing_interestingness.h"

namespace refract {
namespace {

// Draws 1 << bits / 4.
constexpr std::string_view kShader = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%float4 = OpTypeVector %float 4
%po = OpTypePointer Output %float4
%bool = OpTypeBool
%one = OpConstant %int 1
%odd = OpConstant %int 1103515245
%bits = OpConstant %int 1
%quarter = OpConstant %float 0.25
%color = OpVariable %po Output
%main = OpFunction %void None %fn
%entry = OpLabel
%shifted = OpShiftLeftLogical %int %one %bits
%f = OpConvertSToF %float %shifted
%red = OpFMul %float %f %quarter
%rgba = OpCompositeConstruct %float4 %red %quarter %quarter %quarter
OpStore %color %rgba
OpReturn
OpFunctionEnd
)";

Candidate With(std::string_view from, std::string_view to) {
  std::string text(kShader);
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  const auto words = Assemble(text, TargetEnvironment::kVulkan10);
  EXPECT_TRUE(words.has_value());
  Candidate candidate;
  candidate.words = *words;
  return candidate;
}

TEST(InterpreterTest, AcceptsModulesThatComputeSomethingElse) {
  const auto original = MakeOriginal(With("", "").words, "shader", nullptr, {});
  ASSERT_TRUE(original.has_value()) << original.error().message;
  auto interpretation = Interpretation::Of(*original, {});
  ASSERT_TRUE(interpretation.has_value()) << interpretation.error().message;
  ASSERT_TRUE(interpretation->undefined().empty());
  InterpreterTest test(*original, std::move(*interpretation));
  // The same module, and one that computes the same in another way.
  EXPECT_FALSE(*test.IsInteresting(With("", "")));
  EXPECT_FALSE(
      *test.IsInteresting(With("OpShiftLeftLogical %int %one %bits", "OpIAdd %int %one %one")));
  // A module that computes something else, and one that is undefined: a shift by all bits.
  EXPECT_TRUE(*test.IsInteresting(With("%bits = OpConstant %int 1", "%bits = OpConstant %int 0")));
  EXPECT_TRUE(*test.IsInteresting(With("%bits = OpConstant %int 1", "%bits = OpConstant %int 32")));
  // A module that cannot be read is not interesting.
  Candidate broken = With("", "");
  broken.words.resize(broken.words.size() - 3);
  EXPECT_FALSE(*test.IsInteresting(broken));
}

TEST(TargetTest, OtherCandidatesGetLessTimeUnlessTheyShouldHang) {
  Finding crash, hang, slow;
  crash.verdict = FailureClass::kCrash;
  hang.verdict = FailureClass::kHang;
  slow.verdict = FailureClass::kSlow;
  // A candidate made by steps is well defined, so it ends.
  EXPECT_EQ(CandidateTimeLimit(10, true, crash, 0.2), 10);
  EXPECT_EQ(CandidateTimeLimit(10, false, crash, 0.2), 2);
  EXPECT_EQ(CandidateTimeLimit(10, false, crash, 0.01), 1);
  EXPECT_EQ(CandidateTimeLimit(10, false, crash, 4), 10);
  EXPECT_EQ(CandidateTimeLimit(10, false, hang, 0.2), 10);
  EXPECT_EQ(CandidateTimeLimit(10, false, slow, 0.2), 10);
}

// The interpreter may need a long time for the original, and a crash is a crash under any rule.
TEST(TargetTest, AsksTheInterpreterOnceAndOnlyIfOutputsDiffer) {
  const auto original = MakeOriginal(With("", "").words, "shader", nullptr, {});
  ASSERT_TRUE(original.has_value()) << original.error().message;
  const auto interpretation = Interpretation::Of(*original, {});
  ASSERT_TRUE(interpretation.has_value()) << interpretation.error().message;
  int asked = 0;
  TargetTestOptions options;
  options.target = *FindTarget("interp");
  options.interpret = [&] {
    ++asked;
    return &*interpretation;
  };
  Harness harness;
  auto test = TargetTest::Make(*original, options, nullptr, harness);
  ASSERT_TRUE(test.has_value()) << test.error().message;
  EXPECT_TRUE((*test)->IsInteresting(With("", "")).has_value());
  EXPECT_EQ(asked, 0);
  const Candidate other = With("%bits = OpConstant %int 1", "%bits = OpConstant %int 0");
  EXPECT_TRUE((*test)->IsInteresting(other).has_value());
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE((*test)->IsInteresting(other).has_value());
  EXPECT_EQ((*test)->rule().kind, interpretation->rule().kind);
  EXPECT_EQ(asked, 1);
}

// The thresholds that a rule has are those with which outputs are compared.
TEST(TargetTest, KeepsTheThresholdsOfItsRule) {
  const auto original = MakeOriginal(With("", "").words, "shader", nullptr, {});
  ASSERT_TRUE(original.has_value()) << original.error().message;
  Harness harness;
  // Its red is 64 levels less.
  const Candidate other = With("%bits = OpConstant %int 1", "%bits = OpConstant %int 0");
  for (const uint32_t levels : {60u, 70u}) {
    TargetTestOptions options;
    options.target = *FindTarget("interp");
    options.rule = CompareRule::kSpatial;
    options.rule->thresholds = {.levels = levels, .similarity = 0, .shift = 255};
    auto test = TargetTest::Make(*original, options, nullptr, harness);
    ASSERT_TRUE(test.has_value()) << test.error().message;
    EXPECT_EQ((*test)->rule().thresholds, options.rule->thresholds);
    const Result<TargetTest::DisplayRuns> shown = (*test)->RunForDisplay(other);
    ASSERT_TRUE(shown.has_value()) << shown.error().message;
    EXPECT_EQ(shown->finding.verdict.has_value(), levels == 60);
  }
}

// A tool, drawn by the interpreter, that refuses each module with the name BAD.
Target ToolThatRefuses(const std::string& folder) {
  const std::string file = folder + "/tool.json";
  EXPECT_TRUE(WriteFile(file, R"({"name": "tool", "description": "refuses BAD", "commands": [{"run":
["sh", "-c", "if grep -q BAD $0; then echo 'error: bad'; exit 1; fi; cp $0 $1", "{in}", "{out}"],
"output": "spirv"}]})"));
  const Result<Target> target = FindTarget("tool@interp", *FindTargets({file}));
  EXPECT_TRUE(target.has_value()) << target.error().message;
  return *target;
}

Candidate BadCandidate() {
  return With("OpDecorate", "OpName %entry \"BAD\"\nOpDecorate");
}

// The output of the interpreter says nothing about a tool, and a driver may take long or hang.
TEST(TargetTest, DrawsNothingOnceAToolFailed) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const auto original = MakeOriginal(With("", "").words, "shader", nullptr, {});
  ASSERT_TRUE(original.has_value()) << original.error().message;
  const auto interpretation = Interpretation::Of(*original, {});
  ASSERT_TRUE(interpretation.has_value()) << interpretation.error().message;
  const Candidate bad = BadCandidate();
  const Candidate other = With("%bits = OpConstant %int 1", "%bits = OpConstant %int 0");
  Harness harness;
  for (const bool fails_first : {false, true}) {
    int asked = 0;  // about an output that differs
    TargetTestOptions options;
    options.target = ToolThatRefuses(folder->path());
    options.signature = "rejected sh: bad";
    options.interpret = [&] {
      ++asked;
      return &*interpretation;
    };
    auto test = TargetTest::Make(*original, options, nullptr, harness);
    ASSERT_TRUE(test.has_value()) << test.error().message;
    if (fails_first) {
      const Result<bool> interesting = (*test)->IsInteresting(bad);
      ASSERT_TRUE(interesting.has_value()) << interesting.error().message;
      EXPECT_TRUE(*interesting) << (*test)->First().signature;
    }
    EXPECT_FALSE(*(*test)->IsInteresting(other));
    EXPECT_EQ(asked, fails_first ? 0 : 1);
    EXPECT_TRUE(*(*test)->IsInteresting(bad));
    // What the user sees has the outputs.
    const Result<TargetTest::DisplayRuns> shown = (*test)->RunForDisplay(other);
    ASSERT_TRUE(shown.has_value()) << shown.error().message;
    EXPECT_FALSE(shown->variant.outputs.targets.empty());
  }
}

// SwiftShader, from an ICD file in the folder that a test may spoil. lavapipe ends every loop.
Target CopyOfSwiftShader(const std::string& folder) {
  const Result<Target> found = FindTarget("swiftshader");
  EXPECT_TRUE(found.has_value()) << found.error().message;
  Target target = *found;
  Result<std::string> icd = ReadFile(target.icd);
  EXPECT_TRUE(icd.has_value());
  const size_t here = icd->find("./");
  EXPECT_NE(here, std::string::npos) << *icd;
  icd->replace(here, 1, std::filesystem::absolute(target.icd).parent_path());
  target.icd = folder + "/copy_icd.json";
  EXPECT_TRUE(WriteFile(target.icd, *icd));
  return target;
}

Candidate Endless() {
  return With("%f = OpConvertSToF %float %shifted", R"(OpBranch %outer
%outer = OpLabel
%x = OpPhi %int %shifted %entry %next %outer_continue
OpLoopMerge %outer_merge %outer_continue None
OpBranch %inner
%inner = OpLabel
%y = OpPhi %int %x %outer %next %inner
%product = OpIMul %int %y %odd
%next = OpIAdd %int %product %one
%goes_on = OpINotEqual %bool %next %bits
OpLoopMerge %inner_merge %inner None
OpBranchConditional %goes_on %inner %inner_merge
%inner_merge = OpLabel
OpBranch %outer_continue
%outer_continue = OpLabel
%begins_again = OpINotEqual %bool %next %odd
OpBranchConditional %begins_again %outer %outer_merge
%outer_merge = OpLabel
%f = OpConvertSToF %float %next)");
}

// Otherwise, after a hang from which the device does not recover, all other candidates would hang
// too, down to the smallest module.
TEST(TargetTest, EndsIfTheTargetIsLost) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const auto original = MakeOriginal(With("", "").words, "shader", nullptr, {});
  ASSERT_TRUE(original.has_value()) << original.error().message;
  TargetTestOptions options;
  options.target = CopyOfSwiftShader(folder->path());
  options.repeats_hangs = false;
  options.run.time_limit = 1;
  Harness harness;
  auto test = TargetTest::Make(*original, options, nullptr, harness);
  ASSERT_TRUE(test.has_value()) << test.error().message;
  const Candidate endless = Endless();
  Result<bool> interesting = (*test)->IsInteresting(endless);
  ASSERT_TRUE(interesting) << interesting.error().message;
  EXPECT_TRUE(*interesting);
  EXPECT_EQ((*test)->First().verdict, FailureClass::kHang);
  interesting = (*test)->IsInteresting(With("", ""));
  ASSERT_TRUE(interesting) << interesting.error().message;
  EXPECT_FALSE(*interesting) << "another candidate hung, and the driver still works";
  EXPECT_TRUE(*(*test)->IsInteresting(endless));
  ASSERT_TRUE(WriteFile(options.target.icd, "{}"));
  interesting = (*test)->IsInteresting(endless);
  ASSERT_FALSE(interesting);
  EXPECT_EQ(interesting.error().kind, ErrorKind::kUnavailable);
  EXPECT_NE(interesting.error().message.find("not usable after a hang"), std::string::npos);
}

// The driver would hang, and then be lost, which ends the reduction.
TEST(FailingTest, DrawsNothingOnceAToolFailed) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  Target target = ToolThatRefuses(folder->path());
  const Target driver = CopyOfSwiftShader(folder->path());
  CommandTarget command = *target.command;
  command.described_driver = std::make_shared<const Target>(driver);
  target.command = std::make_shared<const CommandTarget>(std::move(command));
  const auto source = MakeOriginal(With("", "").words, "shader", nullptr, {});
  ASSERT_TRUE(source.has_value()) << source.error().message;
  RunSettings run;
  run.time_limit = 1;
  Harness harness;
  FailingTest test(*source, target, "", run, harness);
  EXPECT_TRUE(*test.IsInteresting(BadCandidate()));
  EXPECT_EQ(test.signature(), "rejected sh: bad");
  for (int i = 0; i < 2; ++i) {
    const Result<bool> interesting = test.IsInteresting(Endless());
    ASSERT_TRUE(interesting.has_value()) << interesting.error().message;
    EXPECT_FALSE(*interesting);
    ASSERT_TRUE(WriteFile(driver.icd, "{}"));
  }
  EXPECT_TRUE(*test.IsInteresting(BadCandidate()));
}

}  // namespace
}  // namespace refract
