// SPDX-License-Identifier: Apache-2.0
#include "driver/descriptors.h"

#include <algorithm>
#include <cstring>

#include "driver/vulkan_format.h"

namespace refract {
inline namespace driver {
namespace {

constexpr ImageState kTransferTarget = {VK_PIPELINE_STAGE_TRANSFER_BIT,
                                        VK_ACCESS_TRANSFER_WRITE_BIT,
                                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL};
constexpr ImageState kTransferSource = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT,
                                        VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};

VkImageLayout LayoutOf(const BoundImage& image) {
  return image.kind == BoundImage::kStorage ? VK_IMAGE_LAYOUT_GENERAL
                                            : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
}

VkAccessFlags AccessTo(const BoundImage& image) {
  switch (image.kind) {
    case BoundImage::kStorage:
      return VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    case BoundImage::kAttachment:
      return VK_ACCESS_INPUT_ATTACHMENT_READ_BIT;
    default:
      return VK_ACCESS_SHADER_READ_BIT;
  }
}

// Samplers, acceleration structures and texel buffers have none. A texel buffer is a buffer that
// the host writes and reads.
bool HasImage(const BoundImage& bound) {
  return HasTexels(bound.kind) && bound.dim != spv::Dim::Buffer;
}

// The stages that may use a resource of a pipeline with these stages. Only fragment shaders read
// input attachments.
VkShaderStageFlags StagesOf(const BoundBuffer&, VkShaderStageFlags stages) {
  return stages;
}
VkShaderStageFlags StagesOf(const BoundImage& image, VkShaderStageFlags stages) {
  if (image.kind == BoundImage::kAttachment) return VK_SHADER_STAGE_FRAGMENT_BIT;
  return stages;
}

// Adds the descriptor to the binding of its array, or adds the binding. The descriptors of an array
// follow each other.
template <class Bound>
void AddRow(const Bound& bound, uint32_t set, VkShaderStageFlags stage,
            std::vector<VkDescriptorSetLayoutBinding>* rows) {
  if (bound.set != set) return;
  if (rows->empty() || rows->back().binding != bound.binding) {
    rows->push_back({bound.binding, DescriptorType(bound), 0, StagesOf(bound, stage), nullptr});
  }
  rows->back().descriptorCount = bound.element + 1;
}

uint32_t SetCount(const Bindings& bindings) {
  uint32_t count = 0;
  for (const BoundBuffer& buffer : bindings.buffers) count = std::max(count, buffer.set + 1);
  for (const BoundImage& image : bindings.images) count = std::max(count, image.set + 1);
  return count;
}

}  // namespace

VulkanFailure DescriptorSets::MakeLayouts(const Device& device, const Bindings& bindings,
                                          VkShaderStageFlags stage) {
  const uint32_t count = SetCount(bindings);
  for (uint32_t set = 0; set < count; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> rows;
    for (const BoundBuffer& buffer : bindings.buffers) AddRow(buffer, set, stage, &rows);
    for (const BoundImage& image : bindings.images) AddRow(image, set, stage, &rows);
    auto info = Structure<VkDescriptorSetLayoutCreateInfo>(
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    info.bindingCount = static_cast<uint32_t>(rows.size());
    info.pBindings = rows.data();
    auto& layout = layouts.emplace_back(device.handle(), vkDestroyDescriptorSetLayout);
    const VkResult made =
        vkCreateDescriptorSetLayout(device.handle(), &info, nullptr, layout.out());
    if (made != VK_SUCCESS) return {"vkCreateDescriptorSetLayout", made};
    layout_handles.push_back(layout.get());
  }
  return {};
}

VulkanFailure DescriptorSets::MakePool(const Device& device, const Bindings& bindings) {
  const auto many = static_cast<uint32_t>(bindings.buffers.size() + bindings.images.size());
  std::vector<VkDescriptorPoolSize> sizes;
  for (const VkDescriptorType type :
       {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
        VK_DESCRIPTOR_TYPE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
        VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
        VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT}) {
    sizes.push_back({type, many});
  }
  // Only devices with the extension know this type.
  const bool has_scene =
      std::any_of(bindings.images.begin(), bindings.images.end(),
                  [](const BoundImage& image) { return image.kind == BoundImage::kScene; });
  if (has_scene) sizes.push_back({VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, many});
  auto info = Structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = static_cast<uint32_t>(layouts.size());
  info.poolSizeCount = static_cast<uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  pool = {device.handle(), vkDestroyDescriptorPool};
  VkResult made = vkCreateDescriptorPool(device.handle(), &info, nullptr, pool.out());
  if (made != VK_SUCCESS) return {"vkCreateDescriptorPool", made};

  auto allocate =
      Structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocate.descriptorPool = pool.get();
  allocate.descriptorSetCount = info.maxSets;
  allocate.pSetLayouts = layout_handles.data();
  sets.resize(layouts.size());
  made = vkAllocateDescriptorSets(device.handle(), &allocate, sets.data());
  if (made != VK_SUCCESS) return {"vkAllocateDescriptorSets", made};
  return {};
}

template <class Bound>
VkWriteDescriptorSet DescriptorSets::WriteTo(const Bound& bound) const {
  auto write = Structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = sets[bound.set];
  write.dstBinding = bound.binding;
  write.dstArrayElement = bound.element;
  write.descriptorCount = 1;
  write.descriptorType = DescriptorType(bound);
  return write;
}

VulkanFailure DescriptorSets::FillBuffer(const Device& device, const BoundBuffer& bound) {
  // Vulkan does not allow buffers of 0 bytes, but a block may have 0 bytes.
  const VkDeviceSize size = std::max<size_t>(bound.bytes.size(), 16);
  Buffer& buffer = buffers.emplace_back();
  const VkBufferUsageFlags usage =
      bound.storage ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT : VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  if (VulkanFailure failed = buffer.Make(device, size, usage)) return failed;
  std::memset(buffer.mapped, 0, size);
  std::memcpy(buffer.mapped, bound.bytes.data(), bound.bytes.size());
  // The range is the given size, because run-time arrays take their length from it.
  const VkDescriptorBufferInfo range{buffer.handle.get(), 0,
                                     bound.bytes.empty() ? VK_WHOLE_SIZE : bound.bytes.size()};
  VkWriteDescriptorSet write = WriteTo(bound);
  write.pBufferInfo = &range;
  vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
  return {};
}

VulkanFailure DescriptorSets::FillImage(const Device& device, const BoundImage& bound) {
  LoadedImage& image = images.emplace_back();
  if (bound.kind == BoundImage::kScene) return FillScene(device, bound);
  if (VulkanFailure failed = image.Make(device, bound)) return failed;
  if (bound.samples > 1) {
    VulkanFailure failed = sample_uploads.emplace_back().Make(device, bound, image.image);
    if (!failed && bound.kind == BoundImage::kStorage) {
      failed = sample_read_backs.emplace_back().Make(device, bound, image.image);
    }
    if (failed) return failed;
  }
  const VkDescriptorImageInfo info{image.sampler.get(), image.image.view.get(), LayoutOf(bound)};
  VkWriteDescriptorSet write = WriteTo(bound);
  const VkBufferView texels = image.texels.get();
  write.pImageInfo = &info;
  write.pTexelBufferView = &texels;
  vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
  return {};
}

VulkanFailure DescriptorSets::FillScene(const Device& device, const BoundImage& bound) {
  SceneStructures& scene = scenes.emplace_back();
  if (VulkanFailure failed = scene.Make(device, bound.scene)) return failed;
  const VkAccelerationStructureKHR top = scene.top();
  auto structure = Structure<VkWriteDescriptorSetAccelerationStructureKHR>(
      VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
  structure.accelerationStructureCount = 1;
  structure.pAccelerationStructures = &top;
  VkWriteDescriptorSet write = WriteTo(bound);
  write.pNext = &structure;
  vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
  return {};
}

VulkanFailure DescriptorSets::Fill(const Device& device, const Bindings& bindings) {
  if (layouts.empty()) return {};
  if (VulkanFailure failed = MakePool(device, bindings)) return failed;
  for (const BoundBuffer& bound : bindings.buffers) {
    if (VulkanFailure failed = FillBuffer(device, bound)) return failed;
  }
  for (const BoundImage& bound : bindings.images) {
    if (VulkanFailure failed = FillImage(device, bound)) return failed;
  }
  return {};
}

void DescriptorSets::RecordUpload(VkCommandBuffer commands, const Bindings& bindings,
                                  VkPipelineStageFlags stage) const {
  auto sample_upload = sample_uploads.begin();
  for (const SceneStructures& scene : scenes) scene.RecordBuild(commands, stage);
  for (size_t i = 0; i < images.size(); ++i) {
    const BoundImage& bound = bindings.images[i];
    if (!HasImage(bound)) continue;
    const VulkanImage& image = images[i].image;
    ImageState used = {stage, AccessTo(bound), LayoutOf(bound)};
    if (bound.kind == BoundImage::kAttachment) {
      // The render pass loads and stores it.
      used.stage |= VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
      used.access |= VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
    }
    if (bound.samples > 1) {
      sample_upload->Record(commands, images[i].staging.handle.get());
      ++sample_upload;
      image.Barrier(commands, SampleCopy::DrawnState(), used);
      continue;
    }
    image.Barrier(commands, ImageState(), kTransferTarget);
    const std::vector<VkBufferImageCopy> copies = image.WholeCopy(TexelSize(bound.format));
    vkCmdCopyBufferToImage(commands, images[i].staging.handle.get(), image.image.get(),
                           kTransferTarget.layout, image.levels, copies.data());
    image.Barrier(commands, kTransferTarget, used);
  }
}

void DescriptorSets::RecordReadBack(VkCommandBuffer commands, const Bindings& bindings,
                                    VkPipelineStageFlags stage) const {
  auto sample_read_back = sample_read_backs.begin();
  for (size_t i = 0; i < images.size(); ++i) {
    const BoundImage& bound = bindings.images[i];
    if (bound.kind != BoundImage::kStorage || !HasImage(bound)) continue;
    const VulkanImage& image = images[i].image;
    const ImageState used = {stage, AccessTo(bound), LayoutOf(bound)};
    if (bound.samples > 1) {
      image.Barrier(commands, used, SampleCopy::ReadState());
      sample_read_back->Record(commands, images[i].staging.handle.get());
      ++sample_read_back;
      continue;
    }
    image.Barrier(commands, used, kTransferSource);
    const std::vector<VkBufferImageCopy> copies = image.WholeCopy(TexelSize(bound.format));
    vkCmdCopyImageToBuffer(commands, image.image.get(), kTransferSource.layout,
                           images[i].staging.handle.get(), image.levels, copies.data());
  }
}

std::vector<BoundBuffer> DescriptorSets::ReadBuffers(const Bindings& bindings) const {
  std::vector<BoundBuffer> read;
  for (size_t i = 0; i < bindings.buffers.size(); ++i) {
    if (!bindings.buffers[i].storage) continue;
    BoundBuffer& buffer = read.emplace_back(bindings.buffers[i]);
    std::memcpy(buffer.bytes.data(), buffers[i].mapped, buffer.bytes.size());
  }
  return read;
}

std::vector<BoundImage> DescriptorSets::ReadImages(const Bindings& bindings) const {
  std::vector<BoundImage> read;
  for (size_t i = 0; i < bindings.images.size(); ++i) {
    if (bindings.images[i].kind != BoundImage::kStorage) continue;
    BoundImage& image = read.emplace_back(bindings.images[i]);
    std::memcpy(image.texels.data(), images[i].staging.mapped, image.texels.size());
  }
  return read;
}

}  // namespace driver
}  // namespace refract
