// SPDX-License-Identifier: Apache-2.0
// Branches, loops and early exits in the divergence analysis (ir/divergence/divergence.h).
#include <gtest/gtest.h>

#include <string>

#include "unit/shared/divergence_shader.h"

namespace refract {
namespace {

using Shader = test::DivergenceShader;
using test::ComputeShader;
using test::ExpectClasses;
using test::ExpectControl;

TEST(Divergence, SelectionsAndPhis) {
  const Shader shader = ComputeShader(R"(
OpSelectionMerge %m1 None
OpBranchConditional %draw_is %t1 %m1
%t1 = OpLabel
%own = OpIAdd %uint %differs %one
OpSelectionMerge %m2 None
OpBranchConditional %differ_is %t2 %e2
%t2 = OpLabel
%inside = OpIAdd %uint %draw %one
OpSelectionMerge %m3 None
OpBranchConditional %group_is %t3 %m3
%t3 = OpLabel
OpBranch %m3
%m3 = OpLabel
%phi3 = OpPhi %uint %one %t3 %two %t2
OpBranch %m2
%e2 = OpLabel
OpBranch %m2
%m2 = OpLabel
%phi2 = OpPhi %uint %one %m3 %two %e2
%phi_same = OpPhi %uint %draw %m3 %draw %e2
OpBranch %m1
%m1 = OpLabel
%phi1 = OpPhi %uint %one %m2 %two %entry
%phi_own = OpPhi %uint %own %m2 %two %entry
)");
  ExpectControl(shader, {{"t1", "draw"},
                         {"t2", "divergent"},
                         {"t3", "divergent"},
                         {"m3", "divergent"},
                         {"e2", "divergent"},
                         {"m2", "draw"},
                         {"m1", "constant"}});
  // A value computed in a divergent branch is the same for the invocations that reach it.
  ExpectClasses(shader, {{"inside", "draw"},
                         {"phi3", "workgroup"},
                         {"phi2", "divergent"},
                         {"phi_same", "draw"},
                         {"phi1", "draw"},
                         {"phi_own", "divergent"}});
}

// A loop that counts to eight, with an early exit if `condition`; `at_exit` comes after it.
std::string Loop(const std::string& condition, const std::string& at_exit = "") {
  return R"(OpBranch %head
%head = OpLabel
%count = OpPhi %uint %zero %entry %next %continue
%more = OpULessThan %bool %count %eight
OpLoopMerge %merge %continue None
OpBranchConditional %more %body %merge
%body = OpLabel
%twice = OpIAdd %uint %count %count
OpBranchConditional %)" +
         condition + R"( %merge %stay
%stay = OpLabel
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %uint %count %one
OpBranch %head
%merge = OpLabel
%seen = OpIAdd %uint %count %one
)" + at_exit;
}

TEST(Divergence, LoopsAndTheirExits) {
  const Shader together = ComputeShader(Loop("group_is"));
  ExpectControl(together, {{"head", "workgroup"},
                           {"body", "workgroup"},
                           {"continue", "workgroup"},
                           {"merge", "constant"}});
  ExpectClasses(together, {{"count", "constant"}, {"twice", "constant"}, {"seen", "workgroup"}});
  // Invocations that exit early have another count, although in the loop it was the same for all.
  const Shader apart = ComputeShader(Loop("differ_is"));
  ExpectControl(apart, {{"head", "divergent"},
                        {"body", "divergent"},
                        {"continue", "divergent"},
                        {"merge", "constant"}});
  ExpectClasses(apart, {{"count", "constant"}, {"twice", "constant"}, {"seen", "divergent"}});
  EXPECT_EQ(apart.Seen("count", "body"), "constant");
  EXPECT_EQ(apart.Seen("count", "merge"), "divergent");
}

// All invocations take the only exit, but in different iterations.
TEST(Divergence, LoopsThatEndOnlyByReturn) {
  const Shader shader = ComputeShader("%number = OpFunctionCall %uint %searches %differs\n", R"(
%searches = OpFunction %uint None %takes
%wanted = OpFunctionParameter %uint
%start = OpLabel
OpBranch %head
%head = OpLabel
%count = OpPhi %uint %zero %start %next %continue
%is_it = OpIEqual %bool %count %wanted
OpLoopMerge %never %continue None
OpBranchConditional %is_it %found %continue
%found = OpLabel
OpReturnValue %count
%continue = OpLabel
%next = OpIAdd %uint %count %one
OpBranch %head
%never = OpLabel
OpUnreachable
OpFunctionEnd
)");
  ExpectControl(shader, {{"start", "constant"}, {"found", "divergent"}, {"never", "divergent"}});
  ExpectClasses(shader, {{"count", "constant"}, {"number", "divergent"}});
}

// In each iteration, the branch between the values is the same for all invocations, but they reach
// it in different iterations.
TEST(Divergence, PhisOfValuesChosenInALoop) {
  const Shader shader = ComputeShader(R"(OpBranch %head
%head = OpLabel
%count = OpPhi %uint %zero %entry %next %continue
OpLoopMerge %merge %continue None
OpBranch %body
%body = OpLabel
%waits = OpULessThan %bool %count %differs
OpBranchConditional %waits %continue %choose
%choose = OpLabel
%low = OpBitwiseAnd %uint %count %one
%odd = OpIEqual %bool %low %one
OpBranchConditional %odd %merge %side
%side = OpLabel
OpBranch %merge
%continue = OpLabel
%next = OpIAdd %uint %count %one
OpBranch %head
%merge = OpLabel
%chosen = OpPhi %uint %one %choose %two %side
)");
  ExpectClasses(shader, {{"odd", "constant"}, {"chosen", "divergent"}});
  ExpectControl(shader, {{"choose", "divergent"}, {"merge", "constant"}});
}

constexpr const char* kFragment = R"(
OpCapability Shader
OpCapability DerivativeControl
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %texture
OpExecutionMode %main OriginUpperLeft
NAMES
OpDecorate %in Location 0
OpDecorate %texture DescriptorSet 0
OpDecorate %texture Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%float2 = OpTypeVector %float 2
%float4 = OpTypeVector %float 4
%zero = OpConstant %float 0
%place = OpConstantComposite %float2 %zero %zero
%in_float = OpTypePointer Input %float
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%to_sampled = OpTypePointer UniformConstant %sampled
%in = OpVariable %in_float Input
%texture = OpVariable %to_sampled UniformConstant
%main = OpFunction %void None %fn
%entry = OpLabel
%own = OpLoad %float %in
%handle = OpLoad %sampled %texture
%flat = OpDPdx %float %zero
%slope = OpDPdxCoarse %float %own
%texel = OpImageSampleImplicitLod %float4 %handle %place
OpBranch %calls
%calls = OpLabel
%nothing = OpFunctionCall %void %discards
OpBranch %after
%after = OpLabel
%late_texel = OpImageSampleImplicitLod %float4 %handle %place
%late_sum = OpFAdd %float %zero %zero
OpReturn
OpFunctionEnd
%discards = OpFunction %void None %fn
%start = OpLabel
%value = OpLoad %float %in
%is_low = OpFOrdLessThan %bool %value %zero
OpSelectionMerge %stays None
OpBranchConditional %is_low %goes %stays
%goes = OpLabel
OpKill
%stays = OpLabel
OpReturn
OpFunctionEnd
)";

// Quads, and the invocations that are left after others have ended.
TEST(Divergence, Fragments) {
  const Shader shader{std::string(kFragment)};
  ExpectClasses(shader, {{"own", "divergent"},
                         {"flat", "constant"},
                         {"slope", "divergent"},
                         {"texel", "draw"},
                         {"late_texel", "divergent"},
                         {"late_sum", "constant"}});
  ExpectControl(shader, {{"entry", "constant"},
                         {"start", "divergent"},
                         {"stays", "divergent"},
                         {"calls", "divergent"},  // divergent after the call
                         {"after", "divergent"}});
}

// A value that becomes divergent late in a loop is divergent early in the next iteration.
TEST(Divergence, LoopsAreAnalysedTwice) {
  const Shader shader = ComputeShader(R"(OpBranch %head
%head = OpLabel
%count = OpPhi %uint %zero %entry %next %continue
%late = OpPhi %uint %zero %entry %then %continue
%more = OpULessThan %bool %count %eight
OpLoopMerge %merge %continue None
OpBranchConditional %more %body %merge
%body = OpLabel
%early = OpIAdd %uint %late %one
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %uint %count %one
%then = OpIAdd %uint %early %differs
OpBranch %head
%merge = OpLabel
)");
  ExpectClasses(shader, {{"count", "constant"}, {"early", "divergent"}, {"late", "divergent"}});
  EXPECT_EQ(shader.Control("body"), "constant");
}

TEST(Divergence, EarlyReturn) {
  const Shader shader = ComputeShader(R"(
OpSelectionMerge %m1 None
OpBranchConditional %subgroup_is %gone %m1
%gone = OpLabel
OpReturn
%m1 = OpLabel
OpSelectionMerge %m2 None
OpBranchConditional %differ_is %gone2 %m2
%gone2 = OpLabel
OpReturn
%m2 = OpLabel
)");
  ExpectControl(shader, {{"m1", "subgroup"}, {"m2", "divergent"}});
}

}  // namespace
}  // namespace refract
