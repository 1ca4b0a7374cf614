// SPDX-License-Identifier: Apache-2.0
// Buffers and images of one job, made, filled and read back. Every function returns the failed
// call, or a VulkanFailure that is false.
#pragma once

#include <string>
#include <vector>

#include "harness/device.h"
#include "harness/run.h"
#include "harness/vulkan.h"

namespace refract {

/// A buffer in memory that the host sees.
struct Buffer {
  Owned<VkBuffer> handle;
  Owned<VkDeviceMemory> memory;
  void* mapped = nullptr;

  VulkanFailure Make(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage);
};

/// The picture drawn to, 8-bit RGBA.
struct ColourTarget {
  Owned<VkImage> image;
  Owned<VkDeviceMemory> memory;
  Owned<VkImageView> view;
  Owned<VkFramebuffer> framebuffer;

  VulkanFailure Make(const Device& device, VkRenderPass pass, uint32_t width, uint32_t height);
};

/// The bindings' buffers in their descriptor sets. Sets without a buffer exist and are empty.
struct DescriptorSets {
  std::vector<Owned<VkDescriptorSetLayout>> layouts;
  std::vector<VkDescriptorSetLayout> layout_handles;
  std::vector<Buffer> buffers;  ///< in the order of Bindings::buffers
  Owned<VkDescriptorPool> pool;
  std::vector<VkDescriptorSet> sets;

  /// What a pipeline layout needs.
  VulkanFailure MakeLayouts(const Device& device, const Bindings& bindings);
  /// What a draw needs; after MakeLayouts.
  VulkanFailure Fill(const Device& device, const Bindings& bindings);
  /// The storage buffers' bytes now.
  std::vector<BoundBuffer> ReadBack(const Bindings& bindings) const;
};

}  // namespace refract
