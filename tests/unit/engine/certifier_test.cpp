// SPDX-License-Identifier: Apache-2.0
// Variants with float identities are certified, steps without a certificate are taken back, and no
// run has them unless it asks for them.
#include "engine/certifier.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "engine/apply_step.h"
#include "engine/compare_runs.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "image/compare.h"
#include "input/inputs.h"
#include "ir/tools.h"
#include "message/replace_float_with_identity.h"
#include "transform/registry.h"

namespace refract {
namespace {

using Form = message::ReplaceFloatWithIdentity::Form;

// A smooth float image. The colour is `value`: a third of x, or the rounding error of a third of x,
// made visible.
constexpr const char* kShader = R"(
               OpCapability Shader
       %glsl = OpExtInstImport "GLSL.std.450"
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main" %coord %colour
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %coord BuiltIn FragCoord
               OpDecorate %colour Location 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
     %float4 = OpTypeVector %float 4
   %in_float4 = OpTypePointer Input %float4
  %out_float4 = OpTypePointer Output %float4
      %coord = OpVariable %in_float4 Input
     %colour = OpVariable %out_float4 Output
      %three = OpConstant %float 3
       %size = OpConstant %float 0.00390625
       %huge = OpConstant %float 4194304
       %main = OpFunction %void None %fn
      %entry = OpLabel
      %place = OpLoad %float4 %coord
         %px = OpCompositeExtract %float %place 0
         %py = OpCompositeExtract %float %place 1
          %x = OpFMul %float %px %size
          %y = OpFMul %float %py %size
      %third = OpFDiv %float %x %three
      %three_thirds = OpFMul %float %third %three
      %error = OpFSub %float %three_thirds %x
      %large = OpFMul %float %error %huge
        %all = OpCompositeConstruct %float4 VALUE %y %x %x
               OpStore %colour %all
               OpReturn
               OpFunctionEnd
)";

Original ShaderWith(const std::string& value) {
  std::string text = kShader;
  text.replace(text.find("VALUE"), 5, value);
  const auto words = Assemble(text, TargetEnvironment::kVulkan10);
  EXPECT_TRUE(words.has_value());
  const auto inputs = std::make_shared<Inputs>();
  inputs->width = inputs->height = 32;
  Result<Original> original = MakeOriginal(*words, "shader", inputs, {});
  EXPECT_TRUE(original.has_value()) << original.error().message;
  return std::move(*original);
}

// The operand of the only instruction `opcode` that is the result of `of`.
message::Use UseIn(const Module& module, spv::Op opcode, spv::Op of) {
  message::Use use;
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        for (uint32_t i = 0; module.Opcode(inst) == opcode && i < module.OperandCount(inst); ++i) {
          if (!module.IsId(inst, i) || module.OpcodeOf(module.IdAt(inst, i)) != of) continue;
          use = {module.NameOf(inst), module.NameOf(module.IdAt(inst, i)), 0};
        }
      });
    });
  });
  return use;
}

// Whether the original is still certified after the use in the product of the quotient is replaced.
bool IsCertified(const std::string& value, Form form) {
  const Original original = ShaderWith(value);
  Certifier certifier(original.context, original.file);
  EXPECT_EQ(certifier.unavailable(), "");
  Context variant = original.context;
  const message::Use use = UseIn(variant.module, spv::Op::OpFMul, spv::Op::OpFDiv);
  const StepOutcome done =
      ApplyStep(variant, 1, AnyMessage(message::ReplaceFloatWithIdentity{use, form, {}, false}));
  EXPECT_TRUE(done.check_result);
  return !certifier.FindUncertified(variant, true).has_value();
}

TEST(Certifier, CertifiesWhatImplementationsMayGive) {
  EXPECT_TRUE(IsCertified("%three_thirds", Form::kAddZero));
  EXPECT_TRUE(IsCertified("%three_thirds", Form::kAddSubtract));
  // The rounding error of the quotient is what this shader shows.
  EXPECT_FALSE(IsCertified("%large", Form::kAddSubtract));
}

// A report of a target of one pixel with one component that is not always 64.
RunReport ReportOf(int lowest, int highest, Shadow shadow, int level = 64) {
  RunReport report;
  report.outputs.targets.push_back(
      {0, spv::ImageFormat::Rgba8, 1, 1, std::string(1, static_cast<char>(level)) + "@@@"});
  report.target_shadows.push_back(std::string(1, static_cast<char>(shadow)) + std::string(3, '\0'));
  report.target_bounds.push_back({std::string(1, static_cast<char>(lowest)) + "@@@",
                                  std::string(1, static_cast<char>(highest)) + "@@@"});
  return report;
}

TEST(FindUncertified, ComparesBounds) {
  constexpr Shadow kExact = Shadow::kExact, kApproximate = Shadow::kApproximate;
  const auto certified = [](const RunReport& before, const RunReport& after) {
    return !FindUncertified(before, after).has_value();
  };
  // An exact original leaves one level.
  const RunReport exact = ReportOf(64, 64, kExact);
  EXPECT_TRUE(certified(exact, exact));
  EXPECT_FALSE(certified(exact, ReportOf(64, 65, kApproximate)));
  EXPECT_FALSE(certified(exact, ReportOf(65, 65, kExact, 65)));
  // Others may be left by one level.
  const RunReport narrow = ReportOf(64, 65, kApproximate);
  EXPECT_TRUE(certified(narrow, ReportOf(63, 66, kApproximate)));
  EXPECT_TRUE(certified(narrow, ReportOf(63, 66, kApproximate, 66)));
  EXPECT_FALSE(certified(narrow, ReportOf(62, 66, kApproximate)));
  EXPECT_FALSE(certified(narrow, ReportOf(63, 67, kApproximate)));
  EXPECT_FALSE(certified(narrow, ReportOf(0, 255, Shadow::kUndefined)));
  // Without bounds, the level must stay.
  const RunReport wide = ReportOf(0, 255, kApproximate);
  EXPECT_TRUE(certified(wide, wide));
  EXPECT_FALSE(certified(wide, ReportOf(0, 255, kApproximate, 65)));
  RunReport decides = exact;
  decides.approximate_control = true;
  EXPECT_FALSE(certified(exact, decides));
}

// Under the rule `bounded`, a certified variant never differs from its original.
TEST(FindUncertified, AllowsWhatTheRuleBoundedAllows) {
  const int narrow = static_cast<int>(Thresholds().narrow);
  const RunReport before = ReportOf(60, 60 + narrow, Shadow::kApproximate);
  ComparisonRule rule = CompareRule::kBounded;
  rule.bounds = std::make_shared<const std::vector<LevelBounds>>(before.target_bounds);
  const auto image = [](const RunReport& report) {
    return Image{1, 1, report.outputs.targets[0].texels};
  };
  for (int level = 0; level < 256; ++level) {
    const RunReport after = ReportOf(level, level, Shadow::kApproximate, level);
    const bool agrees = Agree(Compare(image(before), image(after), rule), rule);
    EXPECT_EQ(!FindUncertified(before, after).has_value(), agrees) << level;
  }
  // Bounds that are farther apart decide nothing.
  const RunReport wide = ReportOf(60, 61 + narrow, Shadow::kApproximate);
  EXPECT_TRUE(FindUncertified(wide, ReportOf(65, 65, Shadow::kApproximate, 65)).has_value());
}

uint64_t CountFloatSteps(const FuzzResult& result) {
  const auto& steps = result.recording.steps;
  return static_cast<uint64_t>(
      std::count_if(steps.begin(), steps.end(),
                    [](const message::Step& step) { return NeedsCertificate(step); }));
}

TEST(FloatIdentities, AreUsedOnlyIfAsked) {
  const Original original = ShaderWith("%three_thirds");
  FuzzOptions options;
  options.all_passes = true;
  uint64_t asked = 0;
  for (options.seed = 1; options.seed <= 4; ++options.seed) {
    options.float_identities = false;
    const Result<FuzzResult> without = Fuzz(original, options);
    ASSERT_TRUE(without.has_value()) << without.error().message;
    EXPECT_EQ(CountFloatSteps(*without), 0u);
    EXPECT_FALSE(NeedsCertificate(without->recording));
    options.float_identities = true;
    const Result<FuzzResult> with = Fuzz(original, options);
    ASSERT_TRUE(with.has_value()) << with.error().message;
    asked += CountFloatSteps(*with);
  }
  EXPECT_GT(asked, 0u);
}

// In this shader, most identities change the image. What is left is certified, and a replay gives
// the same module without the interpreter.
TEST(FloatIdentities, AreTakenBackWithoutCertificate) {
  const Original original = ShaderWith("%large");
  Certifier certifier(original.context, original.file);
  FuzzOptions options;
  options.passes = {"float", "synonym"};
  options.max_steps = 60;
  uint64_t refused = 0, kept = 0;
  for (options.seed = 1; options.seed <= 6; ++options.seed) {
    const Result<FuzzResult> made = Fuzz(original, options);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    for (const auto& [reason, count] : made->statistics.at("replace_float_with_identity").refused) {
      if (reason.find("certify") != std::string::npos) refused += count;
    }
    kept += CountFloatSteps(*made);
    if (CountFloatSteps(*made) > 0) {
      EXPECT_EQ(certifier.FindUncertified(made->context, true), std::nullopt);
    }
    const Result<ReplayResult> replayed = Replay(original, made->recording, {});
    ASSERT_TRUE(replayed.has_value()) << replayed.error().message;
    EXPECT_EQ(replayed->words, made->words);
    EXPECT_TRUE(replayed->skipped.empty());
    const Result<FuzzResult> again = Fuzz(original, options);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->words, made->words);
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(kept, 0u);
}

TEST(FloatIdentities, PassTheSelfCheck) {
  const Original original = ShaderWith("%three_thirds");
  FuzzOptions options;
  options.float_identities = true;
  options.self_check = true;
  options.max_steps = 200;
  for (options.seed = 1; options.seed <= 3; ++options.seed) {
    const Result<FuzzResult> made = Fuzz(original, options);
    EXPECT_TRUE(made.has_value()) << made.error().message;
  }
}

}  // namespace
}  // namespace refract
