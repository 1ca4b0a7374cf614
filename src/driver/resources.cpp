// SPDX-License-Identifier: Apache-2.0
#include "driver/resources.h"

#include <algorithm>
#include <cstring>

#include "driver/vulkan_format.h"
#include "input/texels.h"

namespace refract {
inline namespace driver {
namespace {

VulkanFailure Allocate(const Device& device, const VkMemoryRequirements& needs,
                       VkMemoryPropertyFlags wanted, Owned<VkDeviceMemory>* memory,
                       VkMemoryAllocateFlags flags = 0) {
  const int type = device.MemoryType(needs.memoryTypeBits, wanted);
  // The specification guarantees a memory type for buffers, so a missing one is a bug of the
  // driver.
  if (type < 0) return {"vkGetPhysicalDeviceMemoryProperties", VK_ERROR_UNKNOWN};
  auto info = Structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = needs.size;
  info.memoryTypeIndex = static_cast<uint32_t>(type);
  auto more = Structure<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  more.flags = flags;
  if (flags != 0) info.pNext = &more;
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
  const bool has_address = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
  const VkMemoryAllocateFlags flags = has_address ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT : 0;
  if (VulkanFailure failed = Allocate(device, needs, host, &memory, flags)) return failed;
  made = vkBindBufferMemory(device.handle(), handle.get(), memory.get(), 0);
  if (made != VK_SUCCESS) return {"vkBindBufferMemory", made};
  made = vkMapMemory(device.handle(), memory.get(), 0, VK_WHOLE_SIZE, 0, &mapped);
  if (made != VK_SUCCESS) return {"vkMapMemory", made};
  return {};
}

VkDeviceAddress Buffer::Address(const Device& device) const {
  auto info = Structure<VkBufferDeviceAddressInfo>(VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
  info.buffer = handle.get();
  return vkGetBufferDeviceAddress(device.handle(), &info);
}

VulkanFailure VulkanImage::Make(const Device& device, const VkImageCreateInfo& info,
                                VkImageViewType view_type) {
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
  view_info.viewType = view_type;
  view_info.format = info.format;
  aspect = info.format == kDepthFormat ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  view_info.subresourceRange = {aspect, 0, info.mipLevels, 0, info.arrayLayers};
  view = {device.handle(), vkDestroyImageView};
  made = vkCreateImageView(device.handle(), &view_info, nullptr, view.out());
  if (made != VK_SUCCESS) return {"vkCreateImageView", made};
  extent = info.extent;
  layers = info.arrayLayers;
  levels = info.mipLevels;
  return {};
}

void VulkanImage::Barrier(VkCommandBuffer commands, const ImageState& from,
                          const ImageState& to) const {
  auto barrier = Structure<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.srcAccessMask = from.access;
  barrier.dstAccessMask = to.access;
  barrier.oldLayout = from.layout;
  barrier.newLayout = to.layout;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.get();
  barrier.subresourceRange = {aspect, 0, levels, 0, layers};
  vkCmdPipelineBarrier(commands, from.stage, to.stage, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

std::vector<VkBufferImageCopy> VulkanImage::WholeCopy(uint32_t texel_bytes) const {
  std::vector<VkBufferImageCopy> copies(levels);
  VkDeviceSize offset = 0;
  for (uint32_t level = 0; level < levels; ++level) {
    const auto side = [&](uint32_t base) { return std::max(base >> level, 1u); };
    VkBufferImageCopy& copy = copies[level];
    copy.bufferOffset = offset;
    copy.imageSubresource = {aspect, level, 0, layers};
    copy.imageExtent = {side(extent.width), side(extent.height), side(extent.depth)};
    offset += VkDeviceSize{texel_bytes} * copy.imageExtent.width * copy.imageExtent.height *
              copy.imageExtent.depth * layers;
  }
  return copies;
}

VulkanFailure Attachment::Make(const Device& device, VkFormat format, uint32_t texel_bytes,
                               uint32_t width, uint32_t height, uint32_t samples) {
  const VkImageCreateInfo info = TargetInfo(format, width, height, samples);
  if (VulkanFailure failed = image.Make(device, info, VK_IMAGE_VIEW_TYPE_2D)) return failed;
  const VkDeviceSize size = uint64_t{texel_bytes} * width * height * samples;
  return read_back.Make(device, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

VulkanFailure LoadedImage::Make(const Device& device, const BoundImage& bound) {
  if (bound.kind == BoundImage::kCombined || bound.kind == BoundImage::kSampler) {
    if (VulkanFailure failed = MakeSampler(device, bound)) return failed;
  }
  if (bound.kind == BoundImage::kSampler) return {};
  if (bound.dim == spv::Dim::Buffer) return MakeTexelBuffer(device, bound);
  if (VulkanFailure failed = image.Make(device, ImageInfo(bound), ViewType(bound))) return failed;
  const VkBufferUsageFlags usage =
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (VulkanFailure failed = staging.Make(device, bound.texels.size(), usage)) return failed;
  std::memcpy(staging.mapped, bound.texels.data(), bound.texels.size());
  return {};
}

VulkanFailure LoadedImage::MakeTexelBuffer(const Device& device, const BoundImage& bound) {
  const VkBufferUsageFlags usage = bound.kind == BoundImage::kStorage
                                       ? VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT
                                       : VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  if (VulkanFailure failed = staging.Make(device, bound.texels.size(), usage)) return failed;
  std::memcpy(staging.mapped, bound.texels.data(), bound.texels.size());
  auto info = Structure<VkBufferViewCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO);
  info.buffer = staging.handle.get();
  info.format = VulkanFormat(bound.format);
  info.range = bound.texels.size();
  texels = {device.handle(), vkDestroyBufferView};
  const VkResult made = vkCreateBufferView(device.handle(), &info, nullptr, texels.out());
  if (made != VK_SUCCESS) return {"vkCreateBufferView", made};
  return {};
}

VulkanFailure LoadedImage::MakeSampler(const Device& device, const BoundImage& bound) {
  auto info = Structure<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
  info.magFilter = info.minFilter = bound.linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  info.mipmapMode =
      bound.mip.linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.minLod = bound.mip.min_lod;
  info.maxLod = bound.mip.max_lod;
  info.mipLodBias = bound.mip.bias;
  info.addressModeU = info.addressModeV = info.addressModeW =
      static_cast<VkSamplerAddressMode>(bound.wrap);
  const TexelFormat* row = FindTexelFormat(bound.format);
  const bool is_integer = row != nullptr && row->is_integer();
  // The colours of floats and of integers take turns in VkBorderColor.
  info.borderColor = static_cast<VkBorderColor>(2 * bound.border + (is_integer ? 1 : 0));
  if (bound.compare != BoundImage::kNone) {
    info.compareEnable = VK_TRUE;
    info.compareOp = VulkanCompare(bound.compare);
  }
  if (bound.texel_coordinates) {
    info.unnormalizedCoordinates = VK_TRUE;
    info.minLod = info.maxLod = 0;
  }
  auto reduction = Structure<VkSamplerReductionModeCreateInfo>(
      VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO);
  reduction.reductionMode = static_cast<VkSamplerReductionMode>(bound.reduction);
  if (bound.reduction != BoundImage::kWeightedAverage) info.pNext = &reduction;
  sampler = {device.handle(), vkDestroySampler};
  const VkResult made = vkCreateSampler(device.handle(), &info, nullptr, sampler.out());
  if (made != VK_SUCCESS) return {"vkCreateSampler", made};
  return {};
}

}  // namespace driver
}  // namespace refract
