// SPDX-License-Identifier: Apache-2.0
#include "driver/run_job.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/text.h"
#include "driver/addressed.h"
#include "driver/descriptors.h"
#include "driver/pipeline.h"
#include "driver/ray_records.h"
#include "driver/requirements.h"
#include "driver/resources.h"
#include "driver/sample_upload.h"
#include "driver/vulkan_format.h"

namespace refract {
inline namespace driver {
namespace {

/// The objects of one job, destroyed in reverse order.
struct Drawing {
  AddressedMemory addressed;
  std::string push_constants;  // with addresses
  DescriptorSets descriptors;
  Pipeline pipeline;
  RayRecords records;                   // of a pipeline that traces rays
  std::vector<Attachment> attachments;  // in the order of EntryPointInfo::outputs
  std::vector<SampleReadBack> samples;  // of `attachments`, if a pixel has several
  Attachment depth;                     // if there is a depth target
  std::vector<Buffer> vertices;         // in the order of EntryPointInfo::mesh.attributes
  Buffer indices;                       // if the mesh has indices
  Owned<VkFramebuffer> framebuffer;
  Owned<VkFence> fence;
};

VulkanFailure MakeFrame(const Device& device, const Job& job, const EntryPointInfo& stage,
                        Drawing* drawing) {
  std::vector<VkImageView> views;
  for (const EntryPointInfo::Output& output : stage.outputs) {
    Attachment& attachment = drawing->attachments.emplace_back();
    if (VulkanFailure failed =
            attachment.Make(device, VulkanFormat(output.format), TexelSize(output.format),
                            job.bindings.width, job.bindings.height, job.bindings.samples)) {
      return failed;
    }
    if (job.bindings.samples > 1) {
      BoundImage target;
      target.format = output.format;
      target.width = job.bindings.width;
      target.height = job.bindings.height;
      target.samples = job.bindings.samples;
      VulkanFailure failed = drawing->samples.emplace_back().Make(device, target, attachment.image);
      if (failed) return failed;
    }
    views.push_back(attachment.image.view.get());
  }
  if (job.bindings.depth) {
    if (VulkanFailure failed = drawing->depth.Make(device, kDepthFormat, sizeof(float),
                                                   job.bindings.width, job.bindings.height, 1)) {
      return failed;
    }
    views.push_back(drawing->depth.image.view.get());
  }
  for (size_t i = 0; i < job.bindings.images.size(); ++i) {
    if (job.bindings.images[i].kind != BoundImage::kAttachment) continue;
    views.push_back(drawing->descriptors.images[i].image.view.get());
  }
  auto info = Structure<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
  info.renderPass = drawing->pipeline.pass.get();
  info.attachmentCount = static_cast<uint32_t>(views.size());
  info.pAttachments = views.data();
  info.width = job.bindings.width;
  info.height = job.bindings.height;
  info.layers = 1;
  drawing->framebuffer = {device.handle(), vkDestroyFramebuffer};
  const VkResult made =
      vkCreateFramebuffer(device.handle(), &info, nullptr, drawing->framebuffer.out());
  if (made != VK_SUCCESS) return {"vkCreateFramebuffer", made};
  return {};
}

VulkanFailure FillBuffer(const Device& device, const void* bytes, size_t size,
                         VkBufferUsageFlags usage, Buffer* buffer) {
  if (VulkanFailure failed = buffer->Make(device, size, usage)) return failed;
  std::memcpy(buffer->mapped, bytes, size);
  return {};
}

VulkanFailure MakeMesh(const Device& device, const BoundMesh& mesh, Drawing* drawing) {
  for (const BoundAttribute& attribute : mesh.attributes) {
    if (VulkanFailure failed =
            FillBuffer(device, attribute.bytes.data(), attribute.bytes.size(),
                       VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, &drawing->vertices.emplace_back())) {
      return failed;
    }
  }
  if (mesh.indices.empty()) return {};
  return FillBuffer(device, mesh.indices.data(), mesh.indices.size() * sizeof(uint32_t),
                    VK_BUFFER_USAGE_INDEX_BUFFER_BIT, &drawing->indices);
}

void RecordDraw(VkCommandBuffer commands, const BoundMesh& mesh, const Drawing& drawing) {
  for (uint32_t i = 0; i < drawing.vertices.size(); ++i) {
    const VkDeviceSize begin = 0;
    const VkBuffer vertices = drawing.vertices[i].handle.get();
    vkCmdBindVertexBuffers(commands, i, 1, &vertices, &begin);
  }
  if (mesh.indices.empty()) {
    vkCmdDraw(commands, mesh.vertices, mesh.instances, 0, 0);
    return;
  }
  vkCmdBindIndexBuffer(commands, drawing.indices.handle.get(), 0, VK_INDEX_TYPE_UINT32);
  vkCmdDrawIndexed(commands, static_cast<uint32_t>(mesh.indices.size()), mesh.instances, 0, 0, 0);
}

void RecordState(VkCommandBuffer commands, const Job& job, const EntryPointInfo& stage,
                 const Drawing& drawing) {
  const VkPipelineBindPoint point = stage.is_compute() ? VK_PIPELINE_BIND_POINT_COMPUTE
                                    : stage.is_rays()  ? VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR
                                                       : VK_PIPELINE_BIND_POINT_GRAPHICS;
  vkCmdBindPipeline(commands, point, drawing.pipeline.handle.get());
  const VkPipelineLayout layout = drawing.pipeline.layout.get();
  if (!drawing.descriptors.sets.empty()) {
    vkCmdBindDescriptorSets(commands, point, layout, 0,
                            static_cast<uint32_t>(drawing.descriptors.sets.size()),
                            drawing.descriptors.sets.data(), 0, nullptr);
  }
  if (!job.bindings.push_constants.empty()) {
    std::string words = drawing.push_constants;
    words.resize(PushConstantSize(job.bindings));
    vkCmdPushConstants(commands, layout, StageFlags(stage), 0, static_cast<uint32_t>(words.size()),
                       words.data());
  }
}

void RecordPass(VkCommandBuffer commands, const Job& job, const EntryPointInfo& stage,
                const Drawing& drawing) {
  auto pass = Structure<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
  std::vector<VkClearValue> clears(stage.outputs.size());  // zero in every format
  if (job.bindings.depth) clears.emplace_back().depthStencil = {job.bindings.depth.clear, 0};
  pass.renderPass = drawing.pipeline.pass.get();
  pass.framebuffer = drawing.framebuffer.get();
  pass.renderArea.extent = {job.bindings.width, job.bindings.height};
  pass.clearValueCount = static_cast<uint32_t>(clears.size());
  pass.pClearValues = clears.data();
  vkCmdBeginRenderPass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
  RecordState(commands, job, stage, drawing);
  const uint32_t* groups = job.bindings.groups;
  if (stage.Has(spv::ExecutionModel::MeshEXT)) {
    vkCmdDrawMeshTasksEXT(commands, groups[0], groups[1], groups[2]);
  } else if (stage.linked) {
    RecordDraw(commands, stage.mesh, drawing);
  } else {
    vkCmdDraw(commands, 3, 1, 0, 0);
  }
  vkCmdEndRenderPass(commands);
  const auto copy = [&](const Attachment& attachment) {
    const std::vector<VkBufferImageCopy> copies = attachment.image.WholeCopy(0);
    vkCmdCopyImageToBuffer(commands, attachment.image.image.get(),
                           VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, attachment.read_back.handle.get(),
                           1, copies.data());
  };
  for (size_t i = 0; i < drawing.attachments.size(); ++i) {
    if (job.bindings.samples > 1) {
      drawing.samples[i].Record(commands, drawing.attachments[i].read_back.handle.get());
    } else {
      copy(drawing.attachments[i]);
    }
  }
  if (job.bindings.depth) copy(drawing.depth);
}

VulkanFailure Record(Device& device, const Job& job, const EntryPointInfo& stage,
                     const Drawing& drawing) {
  const VkCommandBuffer commands = device.commands();
  VkResult made = vkResetCommandPool(device.handle(), device.pool(), 0);
  if (made != VK_SUCCESS) return {"vkResetCommandPool", made};
  auto begin = Structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  made = vkBeginCommandBuffer(commands, &begin);
  if (made != VK_SUCCESS) return {"vkBeginCommandBuffer", made};
  const VkPipelineStageFlags at = PipelineStageFlags(stage);
  drawing.descriptors.RecordUpload(commands, job.bindings, at);
  if (stage.is_compute()) {
    const uint32_t* groups = job.bindings.groups;
    RecordState(commands, job, stage, drawing);
    vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
  } else if (stage.is_rays()) {
    RecordState(commands, job, stage, drawing);
    drawing.records.RecordTrace(commands, job.bindings.groups);
  } else {
    RecordPass(commands, job, stage, drawing);
  }
  drawing.descriptors.RecordReadBack(commands, job.bindings, at);
  // Lets the host read the targets and everything that the shader stored.
  auto to_host = Structure<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  to_host.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  to_host.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT | at, VK_PIPELINE_STAGE_HOST_BIT, 0,
                       1, &to_host, 0, nullptr, 0, nullptr);
  made = vkEndCommandBuffer(commands);
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
  // The process that started this one watches the time.
  made = vkWaitForFences(device.handle(), 1, &fence, VK_TRUE, UINT64_MAX);
  if (made != VK_SUCCESS) return {"vkWaitForFences", made};
  return {};
}

// Components of an attachment that no output of the shader writes are undefined. FillMissing gives
// them fixed values.
void ReadBack(const Job& job, const EntryPointInfo& stage, const Drawing& drawing,
              Outputs* outputs) {
  const Bindings& bindings = job.bindings;
  for (size_t i = 0; i < stage.outputs.size(); ++i) {
    const EntryPointInfo::Output& output = stage.outputs[i];
    const uint32_t width = TargetWidth(bindings);
    const size_t size = size_t{TexelSize(output.format)} * width * bindings.height;
    const char* texels = static_cast<const char*>(drawing.attachments[i].read_back.mapped);
    ColourTarget& target = outputs->targets.emplace_back(ColourTarget{
        output.location, output.format, width, bindings.height, std::string(texels, size)});
    FillMissing(output.components, &target);
  }
  if (bindings.depth) {
    const auto* depths = static_cast<const float*>(drawing.depth.read_back.mapped);
    outputs->targets.push_back(
        DepthTarget(bindings, {depths, size_t{bindings.width} * bindings.height}));
  }
  outputs->buffers = drawing.descriptors.ReadBuffers(bindings);
  drawing.addressed.ReadBack(bindings, &outputs->buffers);
  outputs->images = drawing.descriptors.ReadImages(bindings);
}

VulkanFailure MakeAndRun(Device& device, const Job& job, const EntryPointInfo& stage,
                         Answer* answer) {
  Drawing drawing;
  if (VulkanFailure failed =
          drawing.descriptors.MakeLayouts(device, job.bindings, StageFlags(stage))) {
    return failed;
  }
  if (VulkanFailure failed =
          drawing.pipeline.Make(device, job, stage, drawing.descriptors.layout_handles)) {
    return failed;
  }
  if (job.pipeline_only) return {};
  if (VulkanFailure failed = drawing.addressed.Make(device, job.bindings)) return failed;
  if (VulkanFailure failed = drawing.descriptors.Fill(device, job.bindings)) return failed;
  drawing.addressed.WriteAddresses(job.bindings, drawing.descriptors.buffers,
                                   &drawing.push_constants);
  if (stage.is_rays()) {
    if (VulkanFailure failed = drawing.records.Make(device, drawing.pipeline.handle.get(),
                                                    stage.Has(spv::ExecutionModel::CallableKHR))) {
      return failed;
    }
  }
  if (stage.is_drawn()) {
    if (VulkanFailure failed = MakeFrame(device, job, stage, &drawing)) return failed;
  }
  if (stage.linked) {
    if (VulkanFailure failed = MakeMesh(device, stage.mesh, &drawing)) return failed;
  }
  if (VulkanFailure failed = Record(device, job, stage, drawing)) return failed;
  if (VulkanFailure failed = Submit(device, &drawing)) return failed;
  ReadBack(job, stage, drawing, &answer->outputs);
  return {};
}

Answer Cannot(std::string reason) {
  Answer answer;
  answer.kind = Answer::Kind::kUnsupported;
  answer.reason = std::move(reason);
  return answer;
}

}  // namespace

Answer RunJob(Device& device, const Job& job) {
  ModuleHeader module;
  if (!ReadModuleHeader(job.spirv, &module)) return Cannot("not a SPIR-V module");
  // The device must support what every shader of a pipeline needs.
  std::vector<BoundCompanion> others = job.bindings.built;
  if (job.bindings.companion) others.push_back(job.bindings.companion);
  for (const BoundCompanion& companion : others) {
    ModuleHeader other;
    if (!ReadModuleHeader(companion.spirv, &other)) return Cannot("not a SPIR-V module");
    module.version = std::max(module.version, other.version);
    module.capabilities.insert(module.capabilities.end(), other.capabilities.begin(),
                               other.capabilities.end());
  }
  if (job.bindings.per_sample) {
    module.capabilities.push_back(static_cast<uint32_t>(spv::Capability::SampleRateShading));
  }
  // Capabilities are checked first: with an unknown one, the rest of the module may be unreadable.
  if (std::string missing = MissingRequirement(device, module); !missing.empty())
    return Cannot(missing);
  const Result<EntryPointInfo> stage = ReadEntryPointInfo(job);
  if (!stage) return Cannot(stage.error().message);
  if (std::string missing = MissingRequirement(device, module, *stage, job); !missing.empty()) {
    return Cannot(missing);
  }
  Answer answer;
  VulkanFailure failed = device.Use(module.capabilities);
  if (!failed) failed = MakeAndRun(device, job, *stage, &answer);
  if (failed) {
    answer.kind = Answer::Kind::kFailed;
    answer.call = failed.call;
    answer.code = failed.code;
  }
  answer.validation_messages = device.TakeMessages();
  return answer;
}

}  // namespace driver
}  // namespace refract
