// SPDX-License-Identifier: Apache-2.0
// The results of the divergence analysis (ir/divergence/divergence.h), by rows of its lattice.
// divergence_runs_test.cpp checks the results by execution.
#include "ir/divergence/divergence.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ir/edit/editor.h"
#include "unit/shared/divergence_shader.h"

namespace refract {
namespace {

using Shader = test::DivergenceShader;
using test::ComputeShader;
using test::ExpectClasses;
using test::ExpectControl;
using test::Rows;

TEST(Divergence, ConstantsAndInputs) {
  const Shader shader = ComputeShader(R"(
%groups3 = OpLoad %uint3 %groups
%count = OpLoad %uint %num_subgroups
%size = OpLoad %uint %subgroup_size
%lane_now = OpLoad %uint %lane
%global3 = OpLoad %uint3 %global
%local3 = OpLoad %uint3 %local
%sum = OpIAdd %uint %one %two
%sum_spec = OpIAdd %uint %one %spec
%sum_mixed = OpIAdd %uint %draw %of_group
%sum_more = OpIAdd %uint %sum_mixed %of_subgroup
%sum_most = OpIAdd %uint %sum_more %differs
%xor = OpBitwiseXor %uint %differs %differs
%own_undefined = OpUndef %uint
)");
  ExpectClasses(shader, {{"one", "constant"},
                         {"spec", "draw"},
                         {"undefined", "divergent"},
                         {"groups3", "draw"},
                         {"group3", "workgroup"},
                         {"count", "workgroup"},
                         {"of_subgroup", "subgroup"},
                         {"size", "subgroup"},
                         {"lane_now", "divergent"},
                         {"global3", "divergent"},
                         {"local3", "divergent"},
                         {"differs", "divergent"},
                         {"sum", "constant"},
                         {"sum_spec", "draw"},
                         {"sum_mixed", "workgroup"},
                         {"sum_more", "subgroup"},
                         {"sum_most", "divergent"},
                         {"xor", "divergent"},
                         {"own_undefined", "divergent"},
                         {"draw4", "draw"}});
  EXPECT_EQ(shader.Control("entry"), "constant");
}

TEST(Divergence, Memory) {
  const Shader shader = ComputeShader(R"(
%at_draw = OpAccessChain %uniform_uint4 %block %zero %draw
%at_group = OpAccessChain %uniform_uint4 %block %zero %of_group
%at_any = OpAccessChain %uniform_uint4 %block %zero %differs
%from_draw = OpLoad %uint4 %at_draw
%from_group = OpLoad %uint4 %at_group
%from_any = OpLoad %uint4 %at_any
%at_push = OpAccessChain %push_uint %push %zero %one
%from_push = OpLoad %uint %at_push
%at_buffer = OpAccessChain %storage_uint %buffer %zero %one
%from_buffer = OpLoad %uint %at_buffer
%at_read = OpAccessChain %storage_uint %read_only %zero %one
%from_read = OpLoad %uint %at_read
%at_read_any = OpAccessChain %storage_uint %read_only %zero %differs
%from_read_any = OpLoad %uint %at_read_any
%from_volatile = OpLoad %uint %at_read Volatile
%at_old = OpAccessChain %storage_uint %old %zero %one
%from_old = OpLoad %uint %at_old
%at_counter = OpAccessChain %storage_uint %counter %zero %one
%ticket = OpAtomicIAdd %uint %at_counter %one %zero %one
%from_shared = OpLoad %uint %shared
%handle = OpLoad %sampled %texture
%same_place = OpConvertUToF %float %of_group
%own_place = OpConvertUToF %float %differs
%same_at = OpCompositeConstruct %float2 %same_place %same_place
%own_at = OpCompositeConstruct %float2 %own_place %same_place
%sample_same = OpImageSampleExplicitLod %float4 %handle %same_at Lod %lod
%sample_own = OpImageSampleExplicitLod %float4 %handle %own_at Lod %lod
%written_to = OpLoad %written_image %storage_image
%texel_at = OpCompositeConstruct %uint2 %one %one
%texel = OpImageRead %float4 %written_to %texel_at
)");
  ExpectClasses(shader, {{"from_draw", "draw"},
                         {"from_group", "workgroup"},
                         {"from_any", "divergent"},
                         {"from_push", "draw"},
                         {"from_buffer", "divergent"},
                         {"from_read", "draw"},
                         {"from_read_any", "divergent"},
                         {"from_volatile", "divergent"},
                         {"from_old", "divergent"},
                         {"ticket", "divergent"},
                         {"from_shared", "divergent"},
                         {"sample_same", "workgroup"},
                         {"sample_own", "divergent"},
                         {"texel", "divergent"}});
}

// In control flow that is uniform in the subgroup.
TEST(Divergence, SubgroupOperations) {
  const char* kOperations = R"(
%first = OpGroupNonUniformBroadcastFirst %uint %three %differs
%third = OpGroupNonUniformBroadcast %uint %three %differs %two
%ballot = OpGroupNonUniformBallot %uint4 %three %differ_is
%bits = OpGroupNonUniformBallotBitCount %uint %three Reduce %ballot
%bits_below = OpGroupNonUniformBallotBitCount %uint %three ExclusiveScan %ballot
%lowest = OpGroupNonUniformBallotFindLSB %uint %three %ballot
%all = OpGroupNonUniformAll %bool %three %differ_is
%any = OpGroupNonUniformAny %bool %three %differ_is
%elected = OpGroupNonUniformElect %bool %three
%total = OpGroupNonUniformIAdd %uint %three Reduce %differs
%running = OpGroupNonUniformIAdd %uint %three InclusiveScan %differs
%shuffled = OpGroupNonUniformShuffle %uint %three %differs %two
%in_quad = OpGroupNonUniformQuadBroadcast %uint %three %differs %one
%swapped = OpGroupNonUniformQuadSwap %uint %three %differs %one
)";
  const Rows together = {
      {"first", "subgroup"}, {"third", "subgroup"},    {"ballot", "subgroup"},
      {"bits", "subgroup"},  {"lowest", "subgroup"},   {"bits_below", "divergent"},
      {"all", "subgroup"},   {"any", "subgroup"},      {"elected", "divergent"},
      {"total", "subgroup"}, {"running", "divergent"}, {"shuffled", "divergent"},
      {"in_quad", "quad"},   {"swapped", "divergent"}};
  ExpectClasses(ComputeShader(kOperations), together);
  const auto in_branch = [&](const std::string& condition) {
    return ComputeShader("OpSelectionMerge %merge None\nOpBranchConditional %" + condition +
                         " %then %merge\n%then = OpLabel\n" + kOperations +
                         "OpBranch %merge\n%merge = OpLabel\n");
  };
  ExpectClasses(in_branch("subgroup_is"), together);
  // It is not known which invocations are active together.
  const Shader apart = in_branch("differ_is");
  for (const auto& [name, expected] : together) EXPECT_EQ(apart.Of(name), "divergent") << name;
}

TEST(Divergence, Variables) {
  const Shader shader = ComputeShader(R"(
OpStore %same %draw
OpStore %other %draw
OpStore %mixed %one
%before = OpLoad %uint %mixed
OpStore %mixed %differs
%read_same = OpLoad %uint %same
OpSelectionMerge %m1 None
OpBranchConditional %differ_is %t1 %m1
%t1 = OpLabel
OpStore %other %one
OpStore %private %one
OpBranch %m1
%m1 = OpLabel
%read_other = OpLoad %uint %other
%read_private = OpLoad %uint %private
OpCopyMemory %copy %same
%read_copy = OpLoad %uint %copy
)",
                                      "", R"(%same = OpVariable %to_local Function
%other = OpVariable %to_local Function
%mixed = OpVariable %to_local Function
%copy = OpVariable %to_local Function
)");
  ExpectClasses(shader, {{"read_same", "draw"},
                         {"before", "divergent"},  // a variable has one class everywhere
                         {"read_other", "divergent"},
                         {"read_private", "divergent"},
                         {"read_copy", "draw"}});
}

TEST(Divergence, Calls) {
  const Shader shader = ComputeShader(R"(
%result = OpFunctionCall %uint %twice %draw
%unused1 = OpFunctionCall %void %stores %passed
%read_passed = OpLoad %uint %passed
%picked = OpFunctionCall %uint %picks %differs
OpSelectionMerge %m1 None
OpBranchConditional %differ_is %t1 %m1
%t1 = OpLabel
%rare = OpFunctionCall %uint %rarely %of_group
OpBranch %m1
%m1 = OpLabel
)",
                                      R"(
%twice = OpFunction %uint None %takes
%a = OpFunctionParameter %uint
%l1 = OpLabel
%a2 = OpIAdd %uint %a %a
OpReturnValue %a2
OpFunctionEnd
%stores = OpFunction %void None %takes_pointer
%p = OpFunctionParameter %to_local
%l2 = OpLabel
%number = OpLoad %uint %index
OpStore %p %number
OpReturn
OpFunctionEnd
%picks = OpFunction %uint None %takes
%c = OpFunctionParameter %uint
%l3 = OpLabel
%c_is = OpIEqual %bool %c %zero
OpSelectionMerge %l5 None
OpBranchConditional %c_is %l4 %l5
%l4 = OpLabel
OpReturnValue %one
%l5 = OpLabel
OpReturnValue %two
OpFunctionEnd
%rarely = OpFunction %uint None %takes
%d = OpFunctionParameter %uint
%l6 = OpLabel
%kept = OpVariable %to_local Function
OpStore %kept %d
%d2 = OpLoad %uint %kept
OpReturnValue %d2
OpFunctionEnd
%nobody = OpFunction %uint None %takes
%f = OpFunctionParameter %uint
%l7 = OpLabel
%g = OpIAdd %uint %one %two
OpReturnValue %f
OpFunctionEnd
)",
                                      "%passed = OpVariable %to_local Function\n");
  ExpectClasses(shader, {{"a", "draw"},
                         {"result", "draw"},
                         {"read_passed", "divergent"},
                         {"picked", "divergent"},
                         {"d", "workgroup"},
                         {"f", "divergent"},
                         {"g", "divergent"}});
  ExpectControl(shader, {{"l1", "constant"}, {"l6", "divergent"}, {"l7", "divergent"}});
  // Each call has its own instances of local variables.
  ExpectClasses(shader, {{"d2", "workgroup"}, {"rare", "workgroup"}});
}

// The next query after an edit sees the edit.
TEST(Divergence, FollowsEditsOfTheModule) {
  Shader shader = ComputeShader("%sum = OpIAdd %uint %draw %one\n");
  EXPECT_EQ(shader.Of("sum"), "draw");
  const Inst sum = shader.module.Definition(shader.Named("sum"));
  {
    Editor editor(shader.module, 1);
    editor.SetOperand(sum, 0, shader.Named("differs"));
  }
  EXPECT_EQ(shader.Of("sum"), "divergent");
}

}  // namespace
}  // namespace refract
