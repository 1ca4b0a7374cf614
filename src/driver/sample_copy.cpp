// SPDX-License-Identifier: Apache-2.0
#include "driver/sample_copy.h"

#include <spirv-tools/libspirv.hpp>
#include <string>

#include "base/check.h"
#include "driver/full_frame.h"
#include "driver/vulkan_format.h"
#include "input/texels.h"

namespace refract {
inline namespace driver {
namespace {

/// The push constants of a draw.
struct DrawConstants {
  int32_t samples = 0;
  int32_t sample = 0;
  int32_t layer = 0;
};

// What the shaders of both directions have in common. TEXEL stands for float, int or uint, IMAGE
// for the type of the source, and the rest for what differs.
constexpr char kCopy[] = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main" %place %texel MASK
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %place BuiltIn FragCoord
               OpDecorate %texel Location 0
               DECORATE_MASK
               OpDecorate %source DescriptorSet 0
               OpDecorate %source Binding 0
               OpDecorate %constants Block
               OpMemberDecorate %constants 0 Offset 0
               OpMemberDecorate %constants 1 Offset 4
               OpMemberDecorate %constants 2 Offset 8
       %void = OpTypeVoid
   %function = OpTypeFunction %void
        %int = OpTypeInt 32 1
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
       %int3 = OpTypeVector %int 3
       %int4 = OpTypeVector %int 4
      %uint4 = OpTypeVector %uint 4
     %float4 = OpTypeVector %float 4
      %image = OpTypeImage %TEXEL 2D 0 1 MULTISAMPLED 1 Unknown
          %0 = OpConstant %int 0
          %1 = OpConstant %int 1
          %2 = OpConstant %int 2
  %constants = OpTypeStruct %int %int %int
   %in_place = OpTypePointer Input %float4
  %out_texel = OpTypePointer Output %TEXEL4
  %image_ptr = OpTypePointer UniformConstant %image
   %push_ptr = OpTypePointer PushConstant %constants
   %push_int = OpTypePointer PushConstant %int
      %place = OpVariable %in_place Input
      %texel = OpVariable %out_texel Output
     %source = OpVariable %image_ptr UniformConstant
       %push = OpVariable %push_ptr PushConstant
               DECLARE_MASK
       %main = OpFunction %void None %function
      %entry = OpLabel
         %at = OpLoad %float4 %place
         %fx = OpCompositeExtract %float %at 0
         %fy = OpCompositeExtract %float %at 1
          %x = OpConvertFToS %int %fx
          %y = OpConvertFToS %int %fy
  %count_ptr = OpAccessChain %push_int %push %0
 %sample_ptr = OpAccessChain %push_int %push %1
  %layer_ptr = OpAccessChain %push_int %push %2
      %count = OpLoad %int %count_ptr
      %layer = OpLoad %int %layer_ptr
               FIND
         %to = OpCompositeConstruct %int3 %column %y %layer
     %loaded = OpLoad %image %source
    %fetched = OpImageFetch %TEXEL4 %loaded %to OPERAND
               OpStore %texel %fetched
               STORE_MASK
               OpReturn
               OpFunctionEnd
)";

/// The parts of the shader of one direction.
struct CopyParts {
  const char* multisampled;
  const char* find;
  const char* operand;
  const char *mask, *decorate_mask, *declare_mask, *store_mask;
};

// Copies the texel (x * samples + sample, y, layer) of the source to a sample of the pixel (x, y).
constexpr CopyParts kSpreads = {"0",
                                R"(
     %sample = OpLoad %int %sample_ptr
      %first = OpIMul %int %x %count
     %column = OpIAdd %int %first %sample)", "Lod %0", "%mask", "OpDecorate %mask BuiltIn SampleMask",
                                R"(
      %masks = OpTypeArray %int %1
   %out_mask = OpTypePointer Output %masks
    %out_int = OpTypePointer Output %int
       %mask = OpVariable %out_mask Output)",
                                R"(
        %bit = OpShiftLeftLogical %int %1 %sample
   %mask_ptr = OpAccessChain %out_int %mask %0
               OpStore %mask_ptr %bit)"};

// Copies the sample x % samples of the texel (x / samples, y, layer) to the pixel (x, y).
constexpr CopyParts kJoins = {"1",
                              R"(
     %column = OpSDiv %int %x %count
     %sample = OpSMod %int %x %count)", "Sample %sample", "", "", "", ""};

void Replace(std::string_view placeholder, std::string_view text, std::string* all) {
  for (size_t at = all->find(placeholder); at != std::string::npos;
       at = all->find(placeholder, at + text.size())) {
    all->replace(at, placeholder.size(), text);
  }
}

std::vector<uint32_t> CopyModule(const TexelFormat& format, SampleCopy::Direction direction) {
  const CopyParts& parts = direction == SampleCopy::kSpread ? kSpreads : kJoins;
  std::string text = kCopy;
  Replace("DECORATE_MASK", parts.decorate_mask, &text);
  Replace("DECLARE_MASK", parts.declare_mask, &text);
  Replace("STORE_MASK", parts.store_mask, &text);
  Replace("MASK", parts.mask, &text);
  Replace("MULTISAMPLED", parts.multisampled, &text);
  Replace("FIND", parts.find, &text);
  Replace("OPERAND", parts.operand, &text);
  Replace("TEXEL",
          format.kind == TexelFormat::kInt    ? "int"
          : format.kind == TexelFormat::kUint ? "uint"
                                              : "float",
          &text);
  std::vector<uint32_t> words;
  CHECK(spvtools::SpirvTools(SPV_ENV_VULKAN_1_0).Assemble(text, &words));
  return words;
}

VkSampleCountFlagBits Count(uint32_t samples) {
  return static_cast<VkSampleCountFlagBits>(samples);
}

}  // namespace

ImageState SampleCopy::ReadState() {
  return {VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT,
          VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
}

ImageState SampleCopy::DrawnState() {
  return {VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
          VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
}

VulkanFailure SampleCopy::Make(const Device& device, Direction direction, const BoundImage& bound,
                               VkImage from, VkImage to) {
  direction_ = direction;
  bound_ = bound;
  bound_.texels.clear();
  if (VulkanFailure failed = MakeView(device, from, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 0, bound.layers)) {
    return failed;
  }
  if (VulkanFailure failed = MakeSource(device)) return failed;
  if (VulkanFailure failed = MakePass(device)) return failed;
  if (VulkanFailure failed = MakeFrames(device, to)) return failed;
  return MakePipeline(device);
}

// Adds a view to `views_`.
VulkanFailure SampleCopy::MakeView(const Device& device, VkImage image, VkImageViewType type,
                                   uint32_t first, uint32_t layers) {
  auto view = Structure<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  view.image = image;
  view.viewType = type;
  view.format = VulkanFormat(bound_.format);
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, first, layers};
  const VkResult made =
      vkCreateImageView(device.handle(), &view, nullptr,
                        views_.emplace_back(device.handle(), vkDestroyImageView).out());
  if (made != VK_SUCCESS) return {"vkCreateImageView", made};
  return {};
}

// Makes a descriptor set with the source.
VulkanFailure SampleCopy::MakeSource(const Device& device) {
  const VkDescriptorSetLayoutBinding row{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1,
                                         VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
  auto layout = Structure<VkDescriptorSetLayoutCreateInfo>(
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  layout.bindingCount = 1;
  layout.pBindings = &row;
  set_layout_ = {device.handle(), vkDestroyDescriptorSetLayout};
  VkResult made = vkCreateDescriptorSetLayout(device.handle(), &layout, nullptr, set_layout_.out());
  if (made != VK_SUCCESS) return {"vkCreateDescriptorSetLayout", made};

  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1};
  auto info = Structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  pool_ = {device.handle(), vkDestroyDescriptorPool};
  made = vkCreateDescriptorPool(device.handle(), &info, nullptr, pool_.out());
  if (made != VK_SUCCESS) return {"vkCreateDescriptorPool", made};
  auto allocate =
      Structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  const VkDescriptorSetLayout set_layout = set_layout_.get();
  allocate.descriptorPool = pool_.get();
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &set_layout;
  made = vkAllocateDescriptorSets(device.handle(), &allocate, &set_);
  if (made != VK_SUCCESS) return {"vkAllocateDescriptorSets", made};

  const VkDescriptorImageInfo image{VK_NULL_HANDLE, views_.front().get(),
                                    VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  auto write = Structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set_;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
  write.pImageInfo = &image;
  vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
  return {};
}

VulkanFailure SampleCopy::MakePass(const Device& device) {
  VkAttachmentDescription target{};
  target.format = VulkanFormat(bound_.format);
  target.samples = Count(target_samples());
  target.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  target.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  target.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  target.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  target.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  target.finalLayout = DrawnState().layout;
  const VkAttachmentReference reference{0, DrawnState().layout};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  auto info = Structure<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
  info.attachmentCount = info.subpassCount = 1;
  info.pAttachments = &target;
  info.pSubpasses = &subpass;
  pass_ = {device.handle(), vkDestroyRenderPass};
  const VkResult made = vkCreateRenderPass(device.handle(), &info, nullptr, pass_.out());
  if (made != VK_SUCCESS) return {"vkCreateRenderPass", made};
  return {};
}

VulkanFailure SampleCopy::MakeFrames(const Device& device, VkImage image) {
  for (uint32_t layer = 0; layer < bound_.layers; ++layer) {
    if (VulkanFailure failed = MakeView(device, image, VK_IMAGE_VIEW_TYPE_2D, layer, 1)) {
      return failed;
    }
    const VkImageView target = views_.back().get();
    auto frame = Structure<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
    frame.renderPass = pass_.get();
    frame.attachmentCount = 1;
    frame.pAttachments = &target;
    frame.width = target_width();
    frame.height = bound_.height;
    frame.layers = 1;
    auto& made_frame = frames_.emplace_back(device.handle(), vkDestroyFramebuffer);
    const VkResult made = vkCreateFramebuffer(device.handle(), &frame, nullptr, made_frame.out());
    if (made != VK_SUCCESS) return {"vkCreateFramebuffer", made};
  }
  return {};
}

VulkanFailure SampleCopy::MakePipeline(const Device& device) {
  const VkPushConstantRange push{VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(DrawConstants)};
  const VkDescriptorSetLayout set_layout = set_layout_.get();
  auto layout =
      Structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.setLayoutCount = layout.pushConstantRangeCount = 1;
  layout.pSetLayouts = &set_layout;
  layout.pPushConstantRanges = &push;
  layout_ = {device.handle(), vkDestroyPipelineLayout};
  VkResult made = vkCreatePipelineLayout(device.handle(), &layout, nullptr, layout_.out());
  if (made != VK_SUCCESS) return {"vkCreatePipelineLayout", made};

  const TexelFormat* format = FindTexelFormat(bound_.format);
  CHECK(format != nullptr);
  if (VulkanFailure failed = MakeShader(device, TriangleModule(), &triangle_)) return failed;
  if (VulkanFailure failed = MakeShader(device, CopyModule(*format, direction_), &copy_))
    return failed;
  std::vector<VkPipelineShaderStageCreateInfo> stages(
      2, Structure<VkPipelineShaderStageCreateInfo>(
             VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO));
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = triangle_.get();
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = copy_.get();
  stages[0].pName = stages[1].pName = "main";
  FrameState state(target_width(), bound_.height, 1);
  state.samples.rasterizationSamples = Count(target_samples());
  VkGraphicsPipelineCreateInfo info = state.Info(stages);
  info.layout = layout_.get();
  info.renderPass = pass_.get();
  pipeline_ = {device.handle(), vkDestroyPipeline};
  made = vkCreateGraphicsPipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr,
                                   pipeline_.out());
  if (made != VK_SUCCESS) return {"vkCreateGraphicsPipelines", made};
  return {};
}

void SampleCopy::Record(VkCommandBuffer commands) const {
  DrawConstants constants;
  constants.samples = static_cast<int32_t>(bound_.samples);
  const int32_t draws = direction_ == kSpread ? constants.samples : 1;
  const VkClearValue clear{};
  for (const Owned<VkFramebuffer>& frame : frames_) {
    auto pass = Structure<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
    pass.renderPass = pass_.get();
    pass.framebuffer = frame.get();
    pass.renderArea.extent = {target_width(), bound_.height};
    pass.clearValueCount = 1;
    pass.pClearValues = &clear;
    vkCmdBeginRenderPass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_.get());
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.get(), 0, 1, &set_,
                            0, nullptr);
    for (constants.sample = 0; constants.sample < draws; ++constants.sample) {
      vkCmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof constants,
                         &constants);
      vkCmdDraw(commands, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(commands);
    ++constants.layer;
  }
}

}  // namespace driver
}  // namespace refract
