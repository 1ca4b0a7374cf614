// SPDX-License-Identifier: Apache-2.0
#include "harness/resources.h"

#include <algorithm>
#include <cstring>

namespace refract {
namespace {

VkDescriptorType TypeOf(const BoundBuffer& buffer) {
  return buffer.storage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
}

VulkanFailure Allocate(const Device& device, const VkMemoryRequirements& needs,
                       VkMemoryPropertyFlags wanted, Owned<VkDeviceMemory>* memory) {
  const int type = device.MemoryType(needs.memoryTypeBits, wanted);
  // The specification promises a fitting type for buffers; not having it is the driver's fault.
  if (type < 0) return {"vkGetPhysicalDeviceMemoryProperties", VK_ERROR_UNKNOWN};
  auto info = Structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = needs.size;
  info.memoryTypeIndex = static_cast<uint32_t>(type);
  *memory = {device.handle(), vkFreeMemory};
  const VkResult made = vkAllocateMemory(device.handle(), &info, nullptr, memory->out());
  if (made != VK_SUCCESS) return {"vkAllocateMemory", made};
  return {};
}

}  // namespace

VulkanFailure Buffer::Make(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage) {
  auto info = Structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = size;
  info.usage = usage;
  handle = {device.handle(), vkDestroyBuffer};
  VkResult made = vkCreateBuffer(device.handle(), &info, nullptr, handle.out());
  if (made != VK_SUCCESS) return {"vkCreateBuffer", made};
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device.handle(), handle.get(), &needs);
  const VkMemoryPropertyFlags host =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  if (VulkanFailure failed = Allocate(device, needs, host, &memory)) return failed;
  made = vkBindBufferMemory(device.handle(), handle.get(), memory.get(), 0);
  if (made != VK_SUCCESS) return {"vkBindBufferMemory", made};
  made = vkMapMemory(device.handle(), memory.get(), 0, VK_WHOLE_SIZE, 0, &mapped);
  if (made != VK_SUCCESS) return {"vkMapMemory", made};
  return {};
}

VulkanFailure ColourTarget::Make(const Device& device, VkRenderPass pass, uint32_t width,
                                 uint32_t height) {
  auto info = Structure<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.extent = {width, height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  image = {device.handle(), vkDestroyImage};
  VkResult made = vkCreateImage(device.handle(), &info, nullptr, image.out());
  if (made != VK_SUCCESS) return {"vkCreateImage", made};
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device.handle(), image.get(), &needs);
  if (VulkanFailure failed = Allocate(device, needs, 0, &memory)) return failed;
  made = vkBindImageMemory(device.handle(), image.get(), memory.get(), 0);
  if (made != VK_SUCCESS) return {"vkBindImageMemory", made};

  auto view_info = Structure<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  view_info.image = image.get();
  view_info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view_info.format = info.format;
  view_info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  view = {device.handle(), vkDestroyImageView};
  made = vkCreateImageView(device.handle(), &view_info, nullptr, view.out());
  if (made != VK_SUCCESS) return {"vkCreateImageView", made};

  auto frame = Structure<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
  frame.renderPass = pass;
  frame.attachmentCount = 1;
  const VkImageView attachment = view.get();
  frame.pAttachments = &attachment;
  frame.width = width;
  frame.height = height;
  frame.layers = 1;
  framebuffer = {device.handle(), vkDestroyFramebuffer};
  made = vkCreateFramebuffer(device.handle(), &frame, nullptr, framebuffer.out());
  if (made != VK_SUCCESS) return {"vkCreateFramebuffer", made};
  return {};
}

VulkanFailure DescriptorSets::MakeLayouts(const Device& device, const Bindings& bindings) {
  uint32_t count = 0;
  for (const BoundBuffer& buffer : bindings.buffers) count = std::max(count, buffer.set + 1);
  for (uint32_t set = 0; set < count; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> rows;
    for (const BoundBuffer& buffer : bindings.buffers) {
      if (buffer.set != set) continue;
      rows.push_back({buffer.binding, TypeOf(buffer), 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr});
    }
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

VulkanFailure DescriptorSets::Fill(const Device& device, const Bindings& bindings) {
  if (layouts.empty()) return {};
  const uint32_t many = static_cast<uint32_t>(bindings.buffers.size());
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, many},
                                        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, many}};
  auto pool_info =
      Structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  pool_info.maxSets = static_cast<uint32_t>(layouts.size());
  pool_info.poolSizeCount = 2;
  pool_info.pPoolSizes = sizes;
  pool = {device.handle(), vkDestroyDescriptorPool};
  VkResult made = vkCreateDescriptorPool(device.handle(), &pool_info, nullptr, pool.out());
  if (made != VK_SUCCESS) return {"vkCreateDescriptorPool", made};

  auto allocate =
      Structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocate.descriptorPool = pool.get();
  allocate.descriptorSetCount = pool_info.maxSets;
  allocate.pSetLayouts = layout_handles.data();
  sets.resize(layouts.size());
  made = vkAllocateDescriptorSets(device.handle(), &allocate, sets.data());
  if (made != VK_SUCCESS) return {"vkAllocateDescriptorSets", made};

  for (const BoundBuffer& bound : bindings.buffers) {
    // A buffer of no bytes is not allowed, a block of no bytes is.
    const VkDeviceSize size = std::max<size_t>(bound.bytes.size(), 16);
    Buffer& buffer = buffers.emplace_back();
    const VkBufferUsageFlags usage =
        bound.storage ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT : VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    if (VulkanFailure failed = buffer.Make(device, size, usage)) return failed;
    std::memset(buffer.mapped, 0, size);
    std::memcpy(buffer.mapped, bound.bytes.data(), bound.bytes.size());
    // The range is what was given, so that the length of a run-time array is what was meant.
    const VkDescriptorBufferInfo range{buffer.handle.get(), 0,
                                       bound.bytes.empty() ? VK_WHOLE_SIZE : bound.bytes.size()};
    auto write = Structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    write.dstSet = sets[bound.set];
    write.dstBinding = bound.binding;
    write.descriptorCount = 1;
    write.descriptorType = TypeOf(bound);
    write.pBufferInfo = &range;
    vkUpdateDescriptorSets(device.handle(), 1, &write, 0, nullptr);
  }
  return {};
}

std::vector<BoundBuffer> DescriptorSets::ReadBack(const Bindings& bindings) const {
  std::vector<BoundBuffer> read;
  for (size_t i = 0; i < bindings.buffers.size(); ++i) {
    if (!bindings.buffers[i].storage) continue;
    BoundBuffer& buffer = read.emplace_back(bindings.buffers[i]);
    std::memcpy(buffer.bytes.data(), buffers[i].mapped, buffer.bytes.size());
  }
  return read;
}

}  // namespace refract
