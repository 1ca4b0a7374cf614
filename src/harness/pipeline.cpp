// SPDX-License-Identifier: Apache-2.0
#include "harness/pipeline.h"

#include <spirv-tools/libspirv.hpp>

#include "base/check.h"

namespace refract {
namespace {

// Vertex 0, 1, 2 at (-1,-1), (3,-1), (-1,3): one triangle that covers the frame and more.
// SPIR-V 1.0 and no vertex buffer, so that any device takes it.
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

}  // namespace

VulkanFailure Pipeline::Make(const Device& device, const Job& job, const ModuleHeader& module,
                             const std::vector<VkDescriptorSetLayout>& sets) {
  if (VulkanFailure failed = MakePass(device)) return failed;
  if (VulkanFailure failed = MakeLayout(device, job, sets)) return failed;
  if (VulkanFailure failed = MakeShader(device, TriangleModule(), &vertex)) return failed;
  if (VulkanFailure failed = MakeShader(device, job.spirv, &fragment)) return failed;
  return MakePipeline(device, job, module);
}

VulkanFailure Pipeline::MakePass(const Device& device) {
  VkAttachmentDescription colour{};
  colour.format = VK_FORMAT_R8G8B8A8_UNORM;
  colour.samples = VK_SAMPLE_COUNT_1_BIT;
  colour.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  colour.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  colour.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  colour.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  colour.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  colour.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  // The copy after the pass waits for the colours.
  VkSubpassDependency after{};
  after.srcSubpass = 0;
  after.dstSubpass = VK_SUBPASS_EXTERNAL;
  after.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  after.dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT;
  after.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  after.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  auto info = Structure<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
  info.attachmentCount = info.subpassCount = info.dependencyCount = 1;
  info.pAttachments = &colour;
  info.pSubpasses = &subpass;
  info.pDependencies = &after;
  pass = {device.handle(), vkDestroyRenderPass};
  const VkResult made = vkCreateRenderPass(device.handle(), &info, nullptr, pass.out());
  if (made != VK_SUCCESS) return {"vkCreateRenderPass", made};
  return {};
}

VulkanFailure Pipeline::MakeLayout(const Device& device, const Job& job,
                                   const std::vector<VkDescriptorSetLayout>& sets) {
  const VkPushConstantRange push{VK_SHADER_STAGE_FRAGMENT_BIT, 0, PushConstantSize(job.bindings)};
  auto info = Structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = static_cast<uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = push.size > 0 ? 1 : 0;
  info.pPushConstantRanges = &push;
  layout = {device.handle(), vkDestroyPipelineLayout};
  const VkResult made = vkCreatePipelineLayout(device.handle(), &info, nullptr, layout.out());
  if (made != VK_SUCCESS) return {"vkCreatePipelineLayout", made};
  return {};
}

VulkanFailure Pipeline::MakePipeline(const Device& device, const Job& job,
                                     const ModuleHeader& module) {
  VkPipelineShaderStageCreateInfo stages[2]{};
  stages[0].sType = stages[1].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = vertex.get();
  stages[0].pName = "main";
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = fragment.get();
  stages[1].pName = job.entry.c_str();

  auto input = Structure<VkPipelineVertexInputStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
  auto assembly = Structure<VkPipelineInputAssemblyStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkRect2D frame{{0, 0}, {job.bindings.width, job.bindings.height}};
  const VkViewport viewport{
      0, 0, static_cast<float>(frame.extent.width), static_cast<float>(frame.extent.height), 0, 1};
  auto view = Structure<VkPipelineViewportStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  view.viewportCount = view.scissorCount = 1;
  view.pViewports = &viewport;
  view.pScissors = &frame;
  auto raster = Structure<VkPipelineRasterizationStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  raster.polygonMode = VK_POLYGON_MODE_FILL;
  raster.cullMode = VK_CULL_MODE_NONE;
  raster.lineWidth = 1;
  auto samples = Structure<VkPipelineMultisampleStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineColorBlendAttachmentState attachment{};
  // Without an output at location 0 what is written is undefined; with no mask the clear colour
  // stays.
  attachment.colorWriteMask = module.writes_location_0 ? 0xf : 0;
  auto blend = Structure<VkPipelineColorBlendStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
  blend.attachmentCount = 1;
  blend.pAttachments = &attachment;

  auto info =
      Structure<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &view;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pColorBlendState = &blend;
  info.layout = layout.get();
  info.renderPass = pass.get();
  handle = {device.handle(), vkDestroyPipeline};
  const VkResult made =
      vkCreateGraphicsPipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, handle.out());
  if (made != VK_SUCCESS) return {"vkCreateGraphicsPipelines", made};
  return {};
}

}  // namespace refract
