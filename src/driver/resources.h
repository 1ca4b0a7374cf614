// SPDX-License-Identifier: Apache-2.0
// Makes, fills and reads back the buffers and images of one job. Each function returns the Vulkan
// call that failed, or a VulkanFailure that converts to false.
#pragma once

#include <string>
#include <vector>

#include "driver/device.h"
#include "driver/run.h"
#include "driver/vulkan.h"

namespace refract {
inline namespace driver {

/// A buffer in memory that the host can access.
struct Buffer {
  Owned<VkBuffer> handle;
  Owned<VkDeviceMemory> memory;
  void* mapped = nullptr;

  VulkanFailure Make(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage);
  /// With VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT.
  VkDeviceAddress Address(const Device& device) const;
};

/// How an image is used at one point of the command buffer, for barriers.
struct ImageState {
  VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
  VkAccessFlags access = 0;
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
};

/// An image in device memory, with a view of the whole image.
struct VulkanImage {
  Owned<VkImage> image;
  Owned<VkDeviceMemory> memory;
  Owned<VkImageView> view;
  VkExtent3D extent = {};
  uint32_t layers = 1;
  uint32_t levels = 1;
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;  ///< depth for D32_SFLOAT

  VulkanFailure Make(const Device& device, const VkImageCreateInfo& info,
                     VkImageViewType view_type);
  void Barrier(VkCommandBuffer commands, const ImageState& from, const ImageState& to) const;
  /// Copies of the whole image, to or from the start of a buffer with one level after the other.
  std::vector<VkBufferImageCopy> WholeCopy(uint32_t texel_bytes) const;
};

/// The colour target of one location, or the depth target.
struct Attachment {
  VulkanImage image;
  Buffer read_back;

  VulkanFailure Make(const Device& device, VkFormat format, uint32_t texel_bytes, uint32_t width,
                     uint32_t height, uint32_t samples);
};

/// An image of the bindings. `staging` holds its texels before the copy to the image and after the
/// copy back.
struct LoadedImage {
  VulkanImage image;
  Buffer staging;
  Owned<VkSampler> sampler;
  Owned<VkBufferView> texels;  ///< of a texel buffer: a view of `staging`; there is no image

  VulkanFailure Make(const Device& device, const BoundImage& bound);

 private:
  VulkanFailure MakeTexelBuffer(const Device& device, const BoundImage& bound);
  VulkanFailure MakeSampler(const Device& device, const BoundImage& bound);
};

}  // namespace driver
}  // namespace refract
