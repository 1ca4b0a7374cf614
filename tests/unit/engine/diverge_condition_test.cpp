// SPDX-License-Identifier: Apache-2.0
// Conditions that are equal in all invocations come to look divergent. No single step does this,
// but identities do whose constants become opaque values of the invocation's number.
#include <gtest/gtest.h>

#include "engine/fuzz.h"
#include "ir/divergence/divergence.h"
#include "ir/tools.h"

namespace refract {
namespace {

// Two branches on uniforms, one of them on a comparison of numbers.
constexpr const char* kShader = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %index
               OpExecutionMode %main LocalSize 8 1 1
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpMemberDecorate %block 1 Offset 4
               OpDecorate %given DescriptorSet 0
               OpDecorate %given Binding 0
               OpDecorate %ints ArrayStride 4
               OpDecorate %data BufferBlock
               OpMemberDecorate %data 0 Offset 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 1
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
        %int = OpTypeInt 32 1
       %uint = OpTypeInt 32 0
       %bool = OpTypeBool
      %block = OpTypeStruct %int %int
  %block_ptr = OpTypePointer Uniform %block
    %int_ptr = OpTypePointer Uniform %int
       %ints = OpTypeRuntimeArray %int
       %data = OpTypeStruct %ints
   %data_ptr = OpTypePointer Uniform %data
    %in_uint = OpTypePointer Input %uint
      %given = OpVariable %block_ptr Uniform
        %out = OpVariable %data_ptr Uniform
      %index = OpVariable %in_uint Input
       %zero = OpConstant %int 0
        %one = OpConstant %int 1
       %main = OpFunction %void None %fn
      %entry = OpLabel
       %lane = OpLoad %uint %index
         %p0 = OpAccessChain %int_ptr %given %zero
         %p1 = OpAccessChain %int_ptr %given %one
          %x = OpLoad %int %p0
          %y = OpLoad %int %p1
       %less = OpSLessThan %bool %x %y
       %some = OpINotEqual %bool %x %zero
               OpSelectionMerge %next None
               OpBranchConditional %less %left %next
       %left = OpLabel
        %sum = OpIAdd %int %x %y
               OpBranch %next
       %next = OpLabel
      %phi_1 = OpPhi %int %x %entry %sum %left
               OpSelectionMerge %end None
               OpBranchConditional %some %right %end
      %right = OpLabel
    %product = OpIMul %int %phi_1 %y
               OpBranch %end
        %end = OpLabel
      %phi_2 = OpPhi %int %phi_1 %next %product %right
         %at = OpAccessChain %int_ptr %out %zero %lane
               OpStore %at %phi_2
               OpReturn
               OpFunctionEnd
)";

int DivergentBranches(const Module& module) {
  int branches = 0;
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst end = module.Terminator(block);
      branches += module.Opcode(end) == spv::Op::OpBranchConditional &&
                  module.Divergence().Of(module.IdAt(end, 0)) == DivergenceClass::kDivergent;
    });
  });
  return branches;
}

TEST(DivergeConditionTest, UniformConditionsBecomeDivergent) {
  Result<std::vector<uint32_t>> words = Assemble(kShader, TargetEnvironment::kVulkan10);
  ASSERT_TRUE(words) << words.error().message;
  const Result<Original> original = MakeOriginal(*words, "shader", nullptr, {});
  ASSERT_TRUE(original) << original.error().message;
  ASSERT_EQ(DivergentBranches(original->context.module), 0);
  FuzzOptions options;
  options.max_steps = 600;
  options.stop_by_chance = false;
  options.passes = {"add_synonym", "replace_id_with_synonym", "replace_constant_with_opaque_value",
                    "add_lane_condition", "add_arithmetic_synonym"};
  int divergent = 0, variants = 20;
  for (int seed = 0; seed < variants; ++seed) {
    options.seed = static_cast<uint64_t>(seed);
    const Result<FuzzResult> result = Fuzz(*original, options);
    ASSERT_TRUE(result) << result.error().message;
    divergent += DivergentBranches(result->context.module) > 0 ? 1 : 0;
  }
  RecordProperty("divergent", divergent);
  EXPECT_GE(divergent, variants / 4) << "of " << variants << " variants";
}

}  // namespace
}  // namespace refract
