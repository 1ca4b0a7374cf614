// SPDX-License-Identifier: Apache-2.0
#include "driver/full_frame.h"

#include <spirv-tools/libspirv.hpp>

#include "base/check.h"

namespace refract {
inline namespace driver {
namespace {

// One triangle with the vertices (-1,-1), (3,-1), (-1,3), which covers more than the frame. It is
// SPIR-V 1.0 without a vertex buffer, so that every device can run it.
constexpr char kTriangle[] = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %index %position
               OpDecorate %index BuiltIn VertexIndex
               OpDecorate %position BuiltIn Position
       %void = OpTypeVoid
   %function = OpTypeFunction %void
        %int = OpTypeInt 32 1
      %float = OpTypeFloat 32
       %vec4 = OpTypeVector %float 4
     %in_int = OpTypePointer Input %int
   %out_vec4 = OpTypePointer Output %vec4
        %one = OpConstant %int 1
          %0 = OpConstant %float 0
          %1 = OpConstant %float 1
          %4 = OpConstant %float 4
      %index = OpVariable %in_int Input
   %position = OpVariable %out_vec4 Output
       %main = OpFunction %void None %function
      %entry = OpLabel
     %vertex = OpLoad %int %index
      %right = OpBitwiseAnd %int %vertex %one
       %down = OpShiftRightArithmetic %int %vertex %one
     %right_ = OpConvertSToF %float %right
      %down_ = OpConvertSToF %float %down
     %right4 = OpFMul %float %right_ %4
      %down4 = OpFMul %float %down_ %4
          %x = OpFSub %float %right4 %1
          %y = OpFSub %float %down4 %1
      %where = OpCompositeConstruct %vec4 %x %y %0 %1
               OpStore %position %where
               OpReturn
               OpFunctionEnd
)";

}  // namespace

const std::vector<uint32_t>& TriangleModule() {
  static const std::vector<uint32_t> kWords = [] {
    std::vector<uint32_t> assembled;
    CHECK(spvtools::SpirvTools(SPV_ENV_VULKAN_1_0).Assemble(kTriangle, &assembled));
    return assembled;
  }();
  return kWords;
}

VulkanFailure MakeShader(const Device& device, const std::vector<uint32_t>& words,
                         Owned<VkShaderModule>* module) {
  auto info = Structure<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = 4 * words.size();
  info.pCode = words.data();
  *module = {device.handle(), vkDestroyShaderModule};
  const VkResult made = vkCreateShaderModule(device.handle(), &info, nullptr, module->out());
  if (made != VK_SUCCESS) return {"vkCreateShaderModule", made};
  return {};
}

FrameState::FrameState(uint32_t width, uint32_t height, uint32_t colours)
    : input(Structure<VkPipelineVertexInputStateCreateInfo>(
          VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO)),
      assembly(Structure<VkPipelineInputAssemblyStateCreateInfo>(
          VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO)),
      samples(Structure<VkPipelineMultisampleStateCreateInfo>(
          VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO)),
      frame_{{0, 0}, {width, height}},
      viewport_{0, 0, static_cast<float>(width), static_cast<float>(height), 0, 1},
      view_(Structure<VkPipelineViewportStateCreateInfo>(
          VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO)),
      raster_(Structure<VkPipelineRasterizationStateCreateInfo>(
          VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO)),
      colours_(colours),
      blend_(Structure<VkPipelineColorBlendStateCreateInfo>(
          VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO)) {
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  view_.viewportCount = view_.scissorCount = 1;
  view_.pViewports = &viewport_;
  view_.pScissors = &frame_;
  raster_.polygonMode = VK_POLYGON_MODE_FILL;
  raster_.cullMode = VK_CULL_MODE_NONE;
  raster_.lineWidth = 1;
  for (VkPipelineColorBlendAttachmentState& colour : colours_) colour.colorWriteMask = 0xf;
  blend_.attachmentCount = colours;
  blend_.pAttachments = colours_.data();
}

VkGraphicsPipelineCreateInfo FrameState::Info(
    const std::vector<VkPipelineShaderStageCreateInfo>& stages) const {
  auto info =
      Structure<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
  info.stageCount = static_cast<uint32_t>(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &view_;
  info.pRasterizationState = &raster_;
  info.pMultisampleState = &samples;
  info.pColorBlendState = &blend_;
  return info;
}

}  // namespace driver
}  // namespace refract
