// SPDX-License-Identifier: Apache-2.0
// Buffers and images of one job, made, filled and read back. Every function returns the failed
// call, or a VulkanFailure that is false.
#pragma once

#include <string>
#include <vector>

#include "driver/device.h"
#include "driver/run.h"
#include "driver/vulkan.h"

namespace refract::inline driver {

/// A buffer in memory that the host sees.
struct Buffer {
  Owned<VkBuffer> handle;
  Owned<VkDeviceMemory> memory;
  void* mapped = nullptr;

  VulkanFailure Make(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage);
};

/// How an image is used at one point of the work, for barriers.
struct ImageState {
  VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
  VkAccessFlags access = 0;
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
};

/// An image in memory of the device, and a view of all of it.
struct VulkanImage {
  Owned<VkImage> image;
  Owned<VkDeviceMemory> memory;
  Owned<VkImageView> view;
  VkExtent3D extent = {};
  uint32_t layers = 1;

  VulkanFailure Make(const Device& device, const VkImageCreateInfo& info,
                     VkImageViewType view_type);
  void Barrier(VkCommandBuffer commands, const ImageState& from, const ImageState& to) const;
  /// All of it, to or from the begin of a buffer.
  VkBufferImageCopy WholeCopy() const;
};

/// What one location is drawn to.
struct Attachment {
  VulkanImage image;
  Buffer read_back;

  VulkanFailure Make(const Device& device, spv::ImageFormat format, uint32_t width,
                     uint32_t height);
};

/// An image of the bindings. Its texels wait in `staging` to be copied, and come back there.
struct LoadedImage {
  VulkanImage image;
  Buffer staging;
  Owned<VkSampler> sampler;

  VulkanFailure Make(const Device& device, const BoundImage& bound);

 private:
  VulkanFailure MakeSampler(const Device& device, const BoundImage& bound);
};

}  // namespace refract::inline driver
