// SPDX-License-Identifier: Apache-2.0
#include "harness/draw.h"

#include <cstring>

#include "harness/pipeline.h"
#include "harness/requirements.h"
#include "harness/resources.h"

namespace refract {
namespace {

/// Everything made for one job; destroyed with it, in reverse order.
struct Drawing {
  DescriptorSets descriptors;
  Pipeline pipeline;
  ColourTarget target;
  Buffer picture;
  Owned<VkFence> fence;
};

size_t PictureSize(const Job& job) {
  return 4 * size_t{job.bindings.width} * job.bindings.height;
}

void RecordPass(VkCommandBuffer commands, const Job& job, const Drawing& drawing) {
  auto pass = Structure<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
  const VkClearValue transparent_black{};
  pass.renderPass = drawing.pipeline.pass.get();
  pass.framebuffer = drawing.target.framebuffer.get();
  pass.renderArea.extent = {job.bindings.width, job.bindings.height};
  pass.clearValueCount = 1;
  pass.pClearValues = &transparent_black;
  vkCmdBeginRenderPass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, drawing.pipeline.handle.get());
  const VkPipelineLayout layout = drawing.pipeline.layout.get();
  if (!drawing.descriptors.sets.empty()) {
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0,
                            static_cast<uint32_t>(drawing.descriptors.sets.size()),
                            drawing.descriptors.sets.data(), 0, nullptr);
  }
  if (!job.bindings.push_constants.empty()) {
    std::string words = job.bindings.push_constants;
    words.resize(PushConstantSize(job.bindings));
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                       static_cast<uint32_t>(words.size()), words.data());
  }
  vkCmdDraw(commands, 3, 1, 0, 0);
  vkCmdEndRenderPass(commands);
}

void RecordReadBack(VkCommandBuffer commands, const Job& job, const Drawing& drawing) {
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {job.bindings.width, job.bindings.height, 1};
  vkCmdCopyImageToBuffer(commands, drawing.target.image.get(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                         drawing.picture.handle.get(), 1, &copy);
  // The host reads the picture and what the shader stored.
  auto to_host = Structure<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  to_host.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  to_host.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands,
                       VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                       VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, nullptr, 0, nullptr);
}

VulkanFailure Record(Device& device, const Job& job, const Drawing& drawing) {
  VkResult made = vkResetCommandPool(device.handle(), device.pool(), 0);
  if (made != VK_SUCCESS) return {"vkResetCommandPool", made};
  auto begin = Structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  made = vkBeginCommandBuffer(device.commands(), &begin);
  if (made != VK_SUCCESS) return {"vkBeginCommandBuffer", made};
  RecordPass(device.commands(), job, drawing);
  RecordReadBack(device.commands(), job, drawing);
  made = vkEndCommandBuffer(device.commands());
  if (made != VK_SUCCESS) return {"vkEndCommandBuffer", made};
  return {};
}

VulkanFailure Submit(Device& device, Drawing* drawing) {
  auto info = Structure<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  drawing->fence = {device.handle(), vkDestroyFence};
  VkResult made = vkCreateFence(device.handle(), &info, nullptr, drawing->fence.out());
  if (made != VK_SUCCESS) return {"vkCreateFence", made};
  const VkCommandBuffer commands = device.commands();
  auto submit = Structure<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  const VkFence fence = drawing->fence.get();
  made = vkQueueSubmit(device.queue(), 1, &submit, fence);
  if (made != VK_SUCCESS) return {"vkQueueSubmit", made};
  // Who started this process watches the clock, not we.
  made = vkWaitForFences(device.handle(), 1, &fence, VK_TRUE, UINT64_MAX);
  if (made != VK_SUCCESS) return {"vkWaitForFences", made};
  return {};
}

VulkanFailure Draw(Device& device, const Job& job, Drawing* drawing, Answer* answer) {
  const Bindings& bindings = job.bindings;
  if (VulkanFailure failed = drawing->descriptors.Fill(device, bindings)) return failed;
  if (VulkanFailure failed = drawing->target.Make(device, drawing->pipeline.pass.get(),
                                                  bindings.width, bindings.height)) {
    return failed;
  }
  if (VulkanFailure failed =
          drawing->picture.Make(device, PictureSize(job), VK_BUFFER_USAGE_TRANSFER_DST_BIT)) {
    return failed;
  }
  if (VulkanFailure failed = Record(device, job, *drawing)) return failed;
  if (VulkanFailure failed = Submit(device, drawing)) return failed;
  answer->image = {
      bindings.width, bindings.height,
      std::string(static_cast<const char*>(drawing->picture.mapped), PictureSize(job))};
  answer->buffers = drawing->descriptors.ReadBack(bindings);
  return {};
}

VulkanFailure MakeAndDraw(Device& device, const Job& job, const ModuleHeader& module,
                          Answer* answer) {
  Drawing drawing;
  if (VulkanFailure failed = drawing.descriptors.MakeLayouts(device, job.bindings)) return failed;
  if (VulkanFailure failed =
          drawing.pipeline.Make(device, job, module, drawing.descriptors.layout_handles)) {
    return failed;
  }
  if (job.pipeline_only) return {};
  return Draw(device, job, &drawing, answer);
}

}  // namespace

Answer RunJob(Device& device, const Job& job) {
  Answer answer;
  ModuleHeader module;
  if (!ReadModuleHeader(job.spirv, &module)) {
    answer.reason = "not a SPIR-V module";
  } else {
    answer.reason = Missing(device, module, job);
  }
  if (!answer.reason.empty()) {
    answer.kind = Answer::Kind::kCannot;
    return answer;
  }
  if (const VulkanFailure failed = MakeAndDraw(device, job, module, &answer)) {
    answer.kind = Answer::Kind::kFailed;
    answer.call = failed.call;
    answer.code = failed.code;
  }
  answer.validation_messages = device.TakeMessages();
  return answer;
}

}  // namespace refract
