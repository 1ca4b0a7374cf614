// SPDX-License-Identifier: Apache-2.0
// Reducing recordings with steps that need a certificate. Without other steps, such a step may
// change the output although the whole recording is certified.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "engine/apply_step.h"
#include "engine/certifier.h"
#include "engine/fuzz.h"
#include "input/inputs.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "message/replace_float_with_identity.h"
#include "reduce/reduce.h"
#include "reduce/target_interestingness.h"
#include "target/command_target.h"

namespace refract {
namespace {

using Form = message::ReplaceFloatWithIdentity::Form;

// The red is 0.4, and the difference of two equal rounding errors times SCALE. If one of the two
// quotients is rounded once more, it shows. The bounds of the red are far apart, because they do
// not know that both errors are equal.
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
     %offset = OpConstant %float 32
       %size = OpConstant %float 0.015625
       %base = OpConstant %float 0.4
      %scale = OpConstant %float SCALE
       %main = OpFunction %void None %fn
      %entry = OpLabel
      %place = OpLoad %float4 %coord
         %px = OpCompositeExtract %float %place 0
         %py = OpCompositeExtract %float %place 1
      %moved = OpFAdd %float %px %offset
          %x = OpFMul %float %moved %size
          %y = OpFMul %float %py %size
      %third = OpFDiv %float %x %three
     %thirds = OpFMul %float %third %three
      %error = OpFSub %float %thirds %x
     %third2 = OpFDiv %float %x %three
    %thirds2 = OpFMul %float %third2 %three
     %error2 = OpFSub %float %thirds2 %x
 %difference = OpFSub %float %error %error2
      %shown = OpFMul %float %difference %scale
        %red = OpFAdd %float %shown %base
        %all = OpCompositeConstruct %float4 %red %y %x %x
               OpStore %colour %all
               OpReturn
               OpFunctionEnd
)";
// The red changes by few levels, or by many.
constexpr const char* kLittle = "262144";
constexpr const char* kMuch = "16777216";

Original ShaderWith(std::string_view scale) {
  std::string text = kShader;
  text.replace(text.find("SCALE"), 5, scale);
  const auto words = Assemble(text, TargetEnvironment::kVulkan10);
  EXPECT_TRUE(words.has_value());
  const auto inputs = std::make_shared<Inputs>();
  inputs->has_framebuffer = true;
  inputs->width = inputs->height = 32;
  Result<Original> original = MakeOriginal(*words, "shader", inputs, {});
  EXPECT_TRUE(original.has_value()) << original.error().message;
  return std::move(*original);
}

// The instructions with this opcode, in their order.
std::vector<Inst> All(const Module& module, spv::Op opcode) {
  std::vector<Inst> found;
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (module.Opcode(inst) == opcode) found.push_back(inst);
      });
    });
  });
  return found;
}

// Rounds a quotient once more: number 0 or 1. The product after it has the only use.
AnyMessage RoundAgain(const Module& module, size_t quotient) {
  const Inst y = All(module, spv::Op::OpFMul)[1];
  const Inst of = All(module, spv::Op::OpFDiv)[quotient];
  const Inst user = All(module, spv::Op::OpFMul)[2 + quotient];
  return message::ReplaceFloatWithIdentity{
      {module.NameOf(user), module.NameOf(of), 0}, Form::kAddSubtract, module.NameOf(y), true};
}
// Adds zero to y where it is drawn, which the bounds of y allow.
AnyMessage AddZero(const Module& module) {
  const Inst y = All(module, spv::Op::OpFMul)[1];
  const Inst user = All(module, spv::Op::OpCompositeConstruct)[0];
  return message::ReplaceFloatWithIdentity{
      {module.NameOf(user), module.NameOf(y), 0}, Form::kAddZero, {}, false};
}

struct Recorded {
  message::Recording recording;
  Context context;
  bool is_certified = false;

  Candidate AsCandidate() const {
    return {WriteModule(context.module), context.inputs, std::make_shared<const Context>(context)};
  }
};

Recorded Record(const Original& original, const std::vector<AnyMessage>& messages) {
  FuzzOptions none;
  none.max_steps = 0;
  Result<FuzzResult> empty = Fuzz(original, none);
  EXPECT_TRUE(empty.has_value()) << empty.error().message;
  Recorded made{std::move(empty->recording), original.context};
  for (const AnyMessage& message : messages) {
    message::Step step;
    step.number = static_cast<uint32_t>(made.recording.steps.size() + 1);
    step.transformation = message;
    StepOutcome done = ApplyStep(made.context, step.number, message);
    EXPECT_TRUE(done.check_result) << done.check_result.reason();
    step.needs = std::move(done.needs);
    made.recording.steps.push_back(std::move(step));
  }
  made.recording.result_hash = HashOfWords(WriteModule(made.context.module));
  Certifier certifier(original.context, original.file);
  made.is_certified = !certifier.FindUncertified(made.context, true).has_value();
  return made;
}

// A tool that gives a black module for every other module than the original.
class CertificatesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder_) << folder_.error().message;
    std::string text = kShader;
    text.replace(text.find("SCALE"), 5, "0");
    text.replace(text.find("%float4 %red %y %x %x"), 21, "%float4 %shown %shown %shown %shown");
    const auto words = Assemble(text, TargetEnvironment::kVulkan10);
    ASSERT_TRUE(words.has_value());
    ASSERT_TRUE(WriteWords("black.spv", *words));
    ASSERT_TRUE(WriteWords("original.spv", original_.words));
    const Result<CommandTarget> read = ParseCommandTarget("/t.json", format(R"({{
        "name": "tool", "description": "a tool", "commands": [{{"run":
        ["sh", "-c", "cmp -s $1 {0}/original.spv && cp $1 $2 || cp {0}/black.spv $2", "sh",
         "{{in}}", "{{out}}"], "output": "spirv"}}]}})",
                                                                            folder_->path()));
    ASSERT_TRUE(read) << read.error().message;
    Target tool;
    tool.name = "tool";
    tool.kind = Target::Kind::kCommand;
    tool.command = std::make_shared<const CommandTarget>(*read);
    const Target known[] = {*FindTarget("interp"), tool};
    Result<Target> drawn = FindTarget("tool@interp", known);
    ASSERT_TRUE(drawn) << drawn.error().message;
    target_ = std::move(*drawn);
  }
  Status WriteWords(const std::string& name, const std::vector<uint32_t>& words) const {
    return WriteFile(format("{}/{}", folder_->path(), name),
                     {reinterpret_cast<const char*>(words.data()), 4 * words.size()});
  }
  const Module& module() const { return original_.context.module; }

  // The numbers of the steps that are left of a recording.
  std::vector<uint32_t> Reduced(const message::Recording& recording, bool needs_certificate) {
    const Result<Interpretation> interpretation = Interpretation::Of(original_, {});
    EXPECT_TRUE(interpretation) << interpretation.error().message;
    TargetTestOptions options;
    options.target = target_;
    options.wrong_output = true;
    options.needs_certificate = needs_certificate;
    Harness harness;
    auto test = TargetTest::Make(original_, options, &*interpretation, harness);
    EXPECT_TRUE(test.has_value()) << test.error().message;
    if (!test) return {};
    ReduceOptions reduce;
    reduce.shrink = false;
    const Result<Reduction> reduction = Reduce(original_, recording, reduce, **test);
    EXPECT_TRUE(reduction) << reduction.error().message;
    EXPECT_EQ(reduction->end, Reduction::End::kDone);
    std::vector<uint32_t> numbers;
    for (const message::Step& step : reduction->recording.steps) numbers.push_back(step.number);
    return numbers;
  }

  const Original original_ = ShaderWith(kLittle);
  const Result<TemporaryFolder> folder_ = TemporaryFolder::Make();
  Target target_;
};

TEST_F(CertificatesTest, AStepStaysIfTheOthersHaveNoCertificateWithoutIt) {
  const AnyMessage first = RoundAgain(module(), 0), second = RoundAgain(module(), 1);
  const Recorded both = Record(original_, {first, second});
  EXPECT_TRUE(both.is_certified);
  EXPECT_FALSE(Record(original_, {first}).is_certified);
  EXPECT_FALSE(Record(original_, {second}).is_certified);
  EXPECT_TRUE(NeedsCertificate(both.recording));
  EXPECT_EQ(Reduced(both.recording, true), (std::vector<uint32_t>{1, 2}));
  // The comparison rule alone accepts a variant with one of them.
  EXPECT_EQ(Reduced(both.recording, false).size(), 1u);
}

TEST_F(CertificatesTest, StepsGoIfTheOthersHaveACertificateWithoutThem) {
  const Recorded all =
      Record(original_, {AddZero(module()), RoundAgain(module(), 0), RoundAgain(module(), 1)});
  EXPECT_TRUE(all.is_certified);
  EXPECT_TRUE(Record(original_, {AddZero(module())}).is_certified);
  EXPECT_EQ(Reduced(all.recording, true), std::vector<uint32_t>{1});
}

// With --interp, another output is a fault of a step only if no step needs a certificate.
TEST(InterpreterTestOfCertificates, AnUncertifiedOutputIsNoFault) {
  const Original original = ShaderWith(kMuch);
  const Recorded one = Record(original, {RoundAgain(original.context.module, 0)});
  EXPECT_FALSE(one.is_certified);
  for (const bool needs_certificate : {false, true}) {
    Result<Interpretation> interpretation = Interpretation::Of(original, {});
    ASSERT_TRUE(interpretation) << interpretation.error().message;
    InterpreterTest test(original, std::move(*interpretation), needs_certificate);
    EXPECT_EQ(*test.IsInteresting(one.AsCandidate()), !needs_certificate);
  }
}

}  // namespace
}  // namespace refract
