// SPDX-License-Identifier: Apache-2.0
// A compute shader around a few lines of assembly, with values of every divergence class, for the
// tests of ir/divergence/divergence.h.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "ir/binary.h"
#include "ir/call_graph.h"
#include "ir/divergence/divergence.h"
#include "ir/tools.h"

namespace refract::test {

// Every id of the text has its name.
inline std::string WithNames(const std::string& text) {
  std::string names;
  std::set<std::string> seen;
  const std::regex definition("%([a-z_0-9]+) *=");
  for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end; ++it) {
    const std::string name = (*it)[1];
    if (seen.insert(name).second) names += format("OpName %{} \"{}\"\n", name, name);
  }
  std::string result = text;
  const size_t place = result.find("NAMES");
  EXPECT_NE(place, std::string::npos);
  return result.replace(place, 5, names);
}

class DivergenceShader {
 public:
  explicit DivergenceShader(const std::string& text) {
    const auto words = Assemble(WithNames(text), TargetEnvironment::kVulkan13);
    if (!words) {
      ADD_FAILURE() << words.error().message;
      return;
    }
    const Status valid = Validate(*words, TargetEnvironment::kVulkan13);
    EXPECT_TRUE(valid) << valid.error().message;
    module = *ReadModule(*words, "test");
  }
  Id Named(const std::string& name) const {
    Id found = Id::kNone;
    ForEachInstruction(module, Module::SectionBlock(Section::kDebug), [&](Inst inst) {
      if (module.Opcode(inst) != spv::Op::OpName) return;
      if (StringOperand(module, inst, 1) == name) found = module.IdAt(inst, 0);
    });
    EXPECT_NE(found, Id::kNone) << name;
    return found;
  }
  std::string Of(const std::string& name) const {
    return std::string(NameOf(module.Divergence().Of(Named(name))));
  }
  std::string Control(const std::string& label) const {
    return std::string(NameOf(module.Divergence().ControlOf(module.BlockOfLabel(Named(label)))));
  }
  std::string Seen(const std::string& name, const std::string& label) const {
    return std::string(
        NameOf(module.Divergence().Seen(module, Named(name), module.BlockOfLabel(Named(label)))));
  }
  Module module;
};

inline constexpr const char* kHead = R"(
OpCapability Shader
OpCapability Int64
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformQuad
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %groups %group %num_subgroups %subgroup_id %subgroup_size %lane %global %local %index %block %push %buffer %read_only %old %counter %private %shared %texture %storage_image
OpExecutionMode %main LocalSize 8 1 1
NAMES
OpDecorate %groups BuiltIn NumWorkgroups
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %num_subgroups BuiltIn NumSubgroups
OpDecorate %subgroup_id BuiltIn SubgroupId
OpDecorate %subgroup_size BuiltIn SubgroupSize
OpDecorate %lane BuiltIn SubgroupLocalInvocationId
OpDecorate %global BuiltIn GlobalInvocationId
OpDecorate %local BuiltIn LocalInvocationId
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %spec SpecId 0
OpDecorate %uints ArrayStride 16
OpDecorate %words ArrayStride 4
OpDecorate %uniform_block Block
OpMemberDecorate %uniform_block 0 Offset 0
OpDecorate %storage_block Block
OpMemberDecorate %storage_block 0 Offset 0
OpDecorate %read_block Block
OpMemberDecorate %read_block 0 Offset 0
OpMemberDecorate %read_block 0 NonWritable
OpDecorate %block DescriptorSet 0
OpDecorate %block Binding 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 1
OpDecorate %read_only DescriptorSet 0
OpDecorate %read_only Binding 2
OpDecorate %old DescriptorSet 0
OpDecorate %old Binding 3
OpDecorate %old NonWritable
OpDecorate %old Volatile
OpDecorate %counter DescriptorSet 0
OpDecorate %counter Binding 4
OpDecorate %texture DescriptorSet 0
OpDecorate %texture Binding 5
OpDecorate %storage_image DescriptorSet 0
OpDecorate %storage_image Binding 6
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%uint2 = OpTypeVector %uint 2
%uint3 = OpTypeVector %uint 3
%uint4 = OpTypeVector %uint 4
%float4 = OpTypeVector %float 4
%float2 = OpTypeVector %float 2
%true = OpConstantTrue %bool
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%three = OpConstant %uint 3
%eight = OpConstant %uint 8
%lod = OpConstant %float 0
%spec = OpSpecConstant %uint 7
%undefined = OpUndef %uint
%uints = OpTypeArray %uint4 %eight
%words = OpTypeArray %uint %eight
%uniform_block = OpTypeStruct %uints
%storage_block = OpTypeStruct %words
%read_block = OpTypeStruct %words
%in_uint = OpTypePointer Input %uint
%in_uint3 = OpTypePointer Input %uint3
%to_uniform = OpTypePointer Uniform %uniform_block
%uniform_uint4 = OpTypePointer Uniform %uint4
%to_push = OpTypePointer PushConstant %storage_block
%push_uint = OpTypePointer PushConstant %uint
%to_storage = OpTypePointer StorageBuffer %storage_block
%to_read = OpTypePointer StorageBuffer %read_block
%storage_uint = OpTypePointer StorageBuffer %uint
%to_private = OpTypePointer Private %uint
%to_shared = OpTypePointer Workgroup %uint
%to_local = OpTypePointer Function %uint
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%to_sampled = OpTypePointer UniformConstant %sampled
%written_image = OpTypeImage %float 2D 0 0 0 2 Rgba8
%to_written = OpTypePointer UniformConstant %written_image
%takes = OpTypeFunction %uint %uint
%takes_pointer = OpTypeFunction %void %to_local
%groups = OpVariable %in_uint3 Input
%group = OpVariable %in_uint3 Input
%num_subgroups = OpVariable %in_uint Input
%subgroup_id = OpVariable %in_uint Input
%subgroup_size = OpVariable %in_uint Input
%lane = OpVariable %in_uint Input
%global = OpVariable %in_uint3 Input
%local = OpVariable %in_uint3 Input
%index = OpVariable %in_uint Input
%block = OpVariable %to_uniform Uniform
%push = OpVariable %to_push PushConstant
%buffer = OpVariable %to_storage StorageBuffer
%read_only = OpVariable %to_read StorageBuffer
%old = OpVariable %to_storage StorageBuffer
%counter = OpVariable %to_storage StorageBuffer
%private = OpVariable %to_private Private
%shared = OpVariable %to_shared Workgroup
%texture = OpVariable %to_sampled UniformConstant
%storage_image = OpVariable %to_written UniformConstant
)";

// Available in each body: values that are uniform in the draw, in the workgroup and in the
// subgroup, and one that is divergent.
inline constexpr const char* kMain = R"(
%main = OpFunction %void None %fn
%entry = OpLabel
VARIABLES
%p_draw = OpAccessChain %uniform_uint4 %block %zero %zero
%draw4 = OpLoad %uint4 %p_draw
%draw = OpCompositeExtract %uint %draw4 0
%group3 = OpLoad %uint3 %group
%of_group = OpCompositeExtract %uint %group3 0
%of_subgroup = OpLoad %uint %subgroup_id
%differs = OpLoad %uint %index
%draw_is = OpIEqual %bool %draw %zero
%group_is = OpIEqual %bool %of_group %zero
%subgroup_is = OpIEqual %bool %of_subgroup %zero
%differ_is = OpIEqual %bool %differs %zero
)";

// `body` is the code of main; `functions` come after main.
inline DivergenceShader ComputeShader(const std::string& body, const std::string& functions = "",
                                      const std::string& variables = "") {
  std::string main = kMain;
  main.replace(main.find("VARIABLES"), 9, variables);
  return DivergenceShader(std::string(kHead) + main + body + "OpReturn\nOpFunctionEnd\n" +
                          functions);
}

using Rows = std::vector<std::pair<const char*, const char*>>;

inline void ExpectClasses(const DivergenceShader& shader, const Rows& rows) {
  for (const auto& [name, expected] : rows) EXPECT_EQ(shader.Of(name), expected) << name;
}

inline void ExpectControl(const DivergenceShader& shader, const Rows& rows) {
  for (const auto& [label, expected] : rows) EXPECT_EQ(shader.Control(label), expected) << label;
}

}  // namespace refract::test
