// SPDX-License-Identifier: Apache-2.0
// Modules that compare their own output, made of the references. The interpreter runs them.
#include "reduce/self_checking.h"

#include <gtest/gtest.h>

#include "corpus/test_modules.h"
#include "glsl/companion_file.h"
#include "glsl/load.h"
#include "ir/tools.h"
#include "reduce/exact_output.h"
#include "target/expected.h"

namespace refract {
namespace {

// The reference with a frame of 4 by 4 pixels and one workgroup.
Result<Original> Small(const TestModule& module) {
  Inputs inputs = module.inputs ? *module.inputs : Inputs();
  inputs.has_framebuffer = true;
  inputs.width = inputs.height = 4;
  if (inputs.compute) std::fill_n(inputs.compute->groups, 3, 1u);
  return MakeOriginal(module.words, module.name, std::make_shared<const Inputs>(inputs), {});
}

Result<std::optional<Interpretation>> Interpret(const Original& original) {
  std::string why_not;
  return InterpretExactly(original, {original.words, original.context.inputs, nullptr}, {}, false,
                          &why_not);
}

// What the module finds out about its own output; kOk if it is right.
RunOutcome Judged(const SelfCheckingModule& made, const std::string& name) {
  const Result<Original> original = MakeOriginal(made.words, name, made.inputs, {});
  if (!original) return RunOutcome::kError;
  const Result<std::optional<Interpretation>> ran = Interpret(*original);
  if (!ran || !*ran) return RunOutcome::kUndefined;
  RunResult result = (*ran)->AsRun();
  CompareWithExpected(*made.inputs->expected, &result);
  return result.verdict;
}

// Exchanges addition and subtraction in the operation number `which`. Returns false if there is
// none.
bool ChangeOperation(size_t which, std::vector<uint32_t>* words) {
  constexpr std::pair<spv::Op, spv::Op> kExchanged[] = {{spv::Op::OpIAdd, spv::Op::OpISub},
                                                        {spv::Op::OpISub, spv::Op::OpIAdd},
                                                        {spv::Op::OpFAdd, spv::Op::OpFSub},
                                                        {spv::Op::OpFSub, spv::Op::OpFAdd}};
  for (size_t at = 5; at < words->size(); at += (*words)[at] >> 16) {
    for (const auto& [from, to] : kExchanged) {
      if (((*words)[at] & 0xffff) != static_cast<uint32_t>(from) || which-- != 0) continue;
      (*words)[at] = ((*words)[at] & 0xffff0000) | static_cast<uint32_t>(to);
      return true;
    }
  }
  return false;
}

TEST(SelfChecking, AModuleDrawsRedUntilOneOfItsOperationsChanges) {
  const auto modules = References(REFRACT_SOURCE_DIR);
  ASSERT_TRUE(modules.has_value()) << modules.error().message;
  size_t checked = 0, noticed = 0, refused = 0;
  for (const TestModule& module : *modules) {
    SCOPED_TRACE(module.name);
    const Result<Original> original = Small(module);
    ASSERT_TRUE(original.has_value()) << original.error().message;
    const Result<std::optional<Interpretation>> exact = Interpret(*original);
    ASSERT_TRUE(exact.has_value()) << exact.error().message;
    if (!*exact) continue;
    const Result<SelfCheckingModule> made = MakeSelfChecking(*original, **exact);
    if (!made) {
      EXPECT_EQ(made.error().kind, ErrorKind::kUnavailable) << made.error().message;
      continue;
    }
    EXPECT_FALSE(FindInvalid(made->words, original->environment).has_value());
    // Users get no module that finds its own output wrong: loom_draft with these few pixels.
    if (Judged(*made, module.name) != RunOutcome::kOk) {
      EXPECT_FALSE(CheckedSelfChecking(*original, {}).has_value());
      ++refused;
      continue;
    }
    ++checked;
    SelfCheckingModule changed = *made;
    for (size_t i = 0; i < 16 && ChangeOperation(i, &changed.words); ++i) {
      const RunOutcome judged = Judged(changed, module.name);
      changed.words = made->words;
      if (judged == RunOutcome::kOk) continue;
      ++noticed;
      break;
    }
  }
  EXPECT_GE(checked, 8u);  // of 36; the frame has 4 by 4 pixels
  EXPECT_GE(4 * noticed, 3 * checked);
  EXPECT_LE(refused, 3u);
}

// Four invocations write their number, and a float that depends on it, to two buffers.
constexpr std::string_view kCompute = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %numbers ArrayStride 4
OpDecorate %floats ArrayStride 4
OpDecorate %block_a BufferBlock
OpDecorate %block_b BufferBlock
OpMemberDecorate %block_a 0 Offset 0
OpMemberDecorate %block_b 0 Offset 8
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 3
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%zero = OpConstant %uint 0
%ten = OpConstant %uint 10
%four = OpConstant %uint 4
%numbers = OpTypeArray %uint %four
%floats = OpTypeArray %float %four
%block_a = OpTypeStruct %numbers
%block_b = OpTypeStruct %floats
%pi = OpTypePointer Input %uint
%pa = OpTypePointer Uniform %block_a
%pb = OpTypePointer Uniform %block_b
%pu = OpTypePointer Uniform %uint
%pf = OpTypePointer Uniform %float
%index = OpVariable %pi Input
%a = OpVariable %pa Uniform
%b = OpVariable %pb Uniform
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %index
%j = OpIAdd %uint %ten %i
%f = OpConvertUToF %float %j
%ai = OpAccessChain %pu %a %zero %i
%bi = OpAccessChain %pf %b %zero %i
OpStore %ai %i
OpStore %bi %f
OpReturn
OpFunctionEnd
)";

Result<Original> Compute(uint32_t groups) {
  const auto words = Assemble(std::string(kCompute), TargetEnvironment::kVulkan10);
  if (!words) return words.error();
  Inputs inputs;
  inputs.compute.emplace().groups[0] = groups;
  return MakeOriginal(*words, "compute", std::make_shared<const Inputs>(inputs), {});
}

TEST(SelfChecking, AComputeShaderComparesAllItsBuffers) {
  const Result<Original> original = Compute(1);
  ASSERT_TRUE(original.has_value()) << original.error().message;
  const Result<std::optional<Interpretation>> exact = Interpret(*original);
  ASSERT_TRUE(exact.has_value() && *exact);
  Result<SelfCheckingModule> made = MakeSelfChecking(*original, **exact);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_FALSE(FindInvalid(made->words, original->environment).has_value());
  ASSERT_EQ(made->inputs->expected->buffers.size(), 1u);
  EXPECT_EQ(made->inputs->expected->buffers[0].binding, 5u);
  EXPECT_EQ(Judged(*made, "compute"), RunOutcome::kOk);
  // Only the floats of the second buffer change.
  ASSERT_TRUE(ChangeOperation(0, &made->words));
  EXPECT_EQ(Judged(*made, "compute"), RunOutcome::kUnexpected);
}

TEST(SelfChecking, SeveralWorkgroupsAreRefused) {
  const Result<Original> original = Compute(2);
  ASSERT_TRUE(original.has_value()) << original.error().message;
  const Result<Interpretation> ran = Interpretation::Of(*original, {});
  ASSERT_TRUE(ran.has_value()) << ran.error().message;
  const Result<SelfCheckingModule> made = MakeSelfChecking(*original, *ran);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(made.error().message, "the shader runs more than one workgroup");
}

// Draws a constant colour at location 0, and four integers at location 1.
constexpr std::string_view kTwoColours = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %colour %numbers
OpExecutionMode %main OriginUpperLeft
OpDecorate %colour Location 0
OpDecorate %numbers Location 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%v4float = OpTypeVector %float 4
%v4int = OpTypeVector %int 4
%pf = OpTypePointer Output %v4float
%pi = OpTypePointer Output %v4int
%colour = OpVariable %pf Output
%numbers = OpVariable %pi Output
%one = OpConstant %float 1
%seven = OpConstant %int 7
%minus = OpConstant %int -3
%white = OpConstantComposite %v4float %one %one %one %one
%main = OpFunction %void None %fn
%entry = OpLabel
%four = OpIAdd %int %seven %minus
%all = OpCompositeConstruct %v4int %seven %four %minus %four
OpStore %colour %white
OpStore %numbers %all
OpReturn
OpFunctionEnd
)";

TEST(SelfChecking, AFragmentShaderComparesTheIntegersAtOtherLocations) {
  const auto words = Assemble(std::string(kTwoColours), TargetEnvironment::kVulkan10);
  ASSERT_TRUE(words.has_value()) << words.error().message;
  Inputs inputs;
  inputs.has_framebuffer = true;
  inputs.width = inputs.height = 2;
  const Result<Original> original =
      MakeOriginal(*words, "colours", std::make_shared<const Inputs>(inputs), {});
  ASSERT_TRUE(original.has_value()) << original.error().message;
  const Result<std::optional<Interpretation>> exact = Interpret(*original);
  ASSERT_TRUE(exact.has_value() && *exact);
  Result<SelfCheckingModule> made = MakeSelfChecking(*original, **exact);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_FALSE(FindInvalid(made->words, original->environment).has_value());
  EXPECT_EQ(Judged(*made, "colours"), RunOutcome::kOk);
  // Only the integers at location 1 change.
  ASSERT_TRUE(ChangeOperation(0, &made->words));
  EXPECT_EQ(Judged(*made, "colours"), RunOutcome::kUnexpected);
}

TEST(SelfChecking, SamplesOfDifferentColoursAreRefused) {
  const std::string file = REFRACT_SOURCE_DIR "/references/salt_lattice.frag";
  const Result<LoadedModule> loaded = LoadModuleFile(file);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  const auto inputs = LoadInputsOf(file);
  ASSERT_TRUE(inputs.has_value()) << inputs.error().message;
  const Result<Original> original = Small({"salt_lattice", loaded->words, *inputs});
  ASSERT_TRUE(original.has_value()) << original.error().message;
  const Result<Interpretation> ran = Interpretation::Of(*original, {});
  ASSERT_TRUE(ran.has_value()) << ran.error().message;
  const Result<SelfCheckingModule> made = MakeSelfChecking(*original, *ran);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().message, "a pixel has several samples of different colours");
}

}  // namespace
}  // namespace refract
