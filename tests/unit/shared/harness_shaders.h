// SPDX-License-Identifier: Apache-2.0
// Small fragment shaders for harness tests, as assembly around one body each.
#pragma once

#include <spirv-tools/libspirv.hpp>
#include <string>
#include <vector>

namespace refract {

/// A fragment shader with an output %colour at location 0, the buffers
///   set 0, binding 0: uniform { vec4 }         %uniform
///   set 2, binding 1: storage { uint[4] }      %storage
///   push constant { vec4 }                     %push
/// if `resources` names them ("u", "s", "p"), %where = gl_FragCoord, and `body`, which has its own
/// terminators. The entry point is "draw". Empty if `body` does not assemble.
inline std::vector<uint32_t> FragmentShader(const std::string& resources, const std::string& body) {
  const auto has = [&](char c) { return resources.find(c) != std::string::npos; };
  std::string text = R"(OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint Fragment %draw "draw" %where %colour
    OpExecutionMode %draw OriginUpperLeft
    OpDecorate %where BuiltIn FragCoord
    OpDecorate %colour Location 0
    OpDecorate %vec4_block Block
    OpMemberDecorate %vec4_block 0 Offset 0
    OpDecorate %uints ArrayStride 4
    OpDecorate %uints_block BufferBlock
    OpMemberDecorate %uints_block 0 Offset 0
)";
  if (has('u')) text += "OpDecorate %uniform DescriptorSet 0\n OpDecorate %uniform Binding 0\n";
  if (has('s')) text += "OpDecorate %storage DescriptorSet 2\n OpDecorate %storage Binding 1\n";
  text += R"(%void = OpTypeVoid
    %function = OpTypeFunction %void
    %bool = OpTypeBool
    %true = OpConstantTrue %bool
    %uint = OpTypeInt 32 0
    %uint_0 = OpConstant %uint 0
    %uint_1 = OpConstant %uint 1
    %uint_4 = OpConstant %uint 4
    %float = OpTypeFloat 32
    %float_0 = OpConstant %float 0
    %float_1 = OpConstant %float 1
    %float_255 = OpConstant %float 255
    %vec4 = OpTypeVector %float 4
    %vec4_block = OpTypeStruct %vec4
    %uints = OpTypeArray %uint %uint_4
    %uints_block = OpTypeStruct %uints
    %in_vec4 = OpTypePointer Input %vec4
    %out_vec4 = OpTypePointer Output %vec4
    %uniform_vec4 = OpTypePointer Uniform %vec4
    %uniform_uint = OpTypePointer Uniform %uint
    %push_vec4 = OpTypePointer PushConstant %vec4
    %where = OpVariable %in_vec4 Input
    %colour = OpVariable %out_vec4 Output
)";
  if (has('u')) {
    text += "%uniform_block = OpTypePointer Uniform %vec4_block\n";
    text += "%uniform = OpVariable %uniform_block Uniform\n";
  }
  if (has('s')) {
    text += "%storage_block = OpTypePointer Uniform %uints_block\n";
    text += "%storage = OpVariable %storage_block Uniform\n";
  }
  if (has('p')) {
    text += "%push_block = OpTypePointer PushConstant %vec4_block\n";
    text += "%push = OpVariable %push_block PushConstant\n";
  }
  text += "%draw = OpFunction %void None %function\n %start = OpLabel\n" + body + "OpFunctionEnd\n";
  std::vector<uint32_t> words;
  spvtools::SpirvTools(SPV_ENV_VULKAN_1_0).Assemble(text, &words);
  return words;
}

/// The pixel at (x, y) is (x, y, 0, 255).
inline std::vector<uint32_t> CoordinatesShader() {
  return FragmentShader("", R"(%at = OpLoad %vec4 %where
    %x = OpCompositeExtract %float %at 0
    %y = OpCompositeExtract %float %at 1
    %x_whole = OpConvertFToU %uint %x
    %y_whole = OpConvertFToU %uint %y
    %x_float = OpConvertUToF %float %x_whole
    %y_float = OpConvertUToF %float %y_whole
    %red = OpFDiv %float %x_float %float_255
    %green = OpFDiv %float %y_float %float_255
    %value = OpCompositeConstruct %vec4 %red %green %float_0 %float_1
    OpStore %colour %value
    OpReturn
)");
}

/// The uniform's colour everywhere.
inline std::vector<uint32_t> UniformShader() {
  return FragmentShader("u", R"(%at = OpAccessChain %uniform_vec4 %uniform %uint_0
    %value = OpLoad %vec4 %at
    OpStore %colour %value
    OpReturn
)");
}

/// The push constant's colour everywhere.
inline std::vector<uint32_t> PushShader() {
  return FragmentShader("p", R"(%at = OpAccessChain %push_vec4 %push %uint_0
    %value = OpLoad %vec4 %at
    OpStore %colour %value
    OpReturn
)");
}

/// Counts invocations in storage element 0, stores 4 in element 1; the colour is uniform + push.
inline std::vector<uint32_t> EverythingShader() {
  return FragmentShader("usp", R"(%u = OpAccessChain %uniform_vec4 %uniform %uint_0
    %p = OpAccessChain %push_vec4 %push %uint_0
    %u_value = OpLoad %vec4 %u
    %p_value = OpLoad %vec4 %p
    %sum = OpFAdd %vec4 %u_value %p_value
    OpStore %colour %sum
    %count = OpAccessChain %uniform_uint %storage %uint_0 %uint_0
    %old = OpAtomicIAdd %uint %count %uint_1 %uint_0 %uint_1
    %second = OpAccessChain %uniform_uint %storage %uint_0 %uint_1
    OpStore %second %uint_4
    OpReturn
)");
}

/// Discards where x < 16, red elsewhere.
inline std::vector<uint32_t> DiscardShader() {
  return FragmentShader("", R"(%at = OpLoad %vec4 %where
    %x = OpCompositeExtract %float %at 0
    %x_whole = OpConvertFToU %uint %x
    %tile = OpShiftRightLogical %uint %x_whole %uint_4
    %left = OpIEqual %bool %tile %uint_0
    OpSelectionMerge %rest None
    OpBranchConditional %left %gone %rest
    %gone = OpLabel
    OpKill
    %rest = OpLabel
    %value = OpCompositeConstruct %vec4 %float_1 %float_0 %float_0 %float_1
    OpStore %colour %value
    OpReturn
)");
}

/// Runs while storage element 1 is 0, which nothing changes.
inline std::vector<uint32_t> EndlessShader() {
  return FragmentShader("s", R"(OpBranch %head
    %head = OpLabel
    %first = OpAccessChain %uniform_uint %storage %uint_0 %uint_0
    %old = OpAtomicIAdd %uint %first %uint_1 %uint_0 %uint_0
    %second = OpAccessChain %uniform_uint %storage %uint_0 %uint_1
    %bound = OpLoad %uint %second
    %again = OpIEqual %bool %bound %uint_0
    OpLoopMerge %end %next None
    OpBranchConditional %again %next %end
    %next = OpLabel
    OpBranch %head
    %end = OpLabel
    OpReturn
)");
}

}  // namespace refract
