// SPDX-License-Identifier: Apache-2.0
// Vulkan's names for the formats and shapes of images.
#pragma once

#include "driver/vulkan.h"
#include "input/bindings.h"

namespace refract {
inline namespace driver {

/// VK_FORMAT_UNDEFINED for a format that images may not have (input/texels.h).
VkFormat VulkanFormat(spv::ImageFormat format);
/// The format of the attribute, which is sound.
VkFormat VulkanFormat(const BoundAttribute& attribute);
VkPrimitiveTopology VulkanTopology(BoundMesh::Topology topology);

/// What vkCreateImage and vkGetPhysicalDeviceImageFormatProperties get for an image.
VkImageCreateInfo ImageInfo(const BoundImage& image);
VkImageViewType ViewType(const BoundImage& image);
/// The same for a colour target.
VkImageCreateInfo TargetInfo(spv::ImageFormat format, uint32_t width, uint32_t height);

VkDescriptorType DescriptorType(const BoundImage& image);
VkDescriptorType DescriptorType(const BoundBuffer& buffer);

}  // namespace driver
}  // namespace refract
