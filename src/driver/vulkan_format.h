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
/// `compare` is not kNone.
VkCompareOp VulkanCompare(BoundImage::Compare compare);
VkPrimitiveTopology VulkanTopology(BoundMesh::Topology topology);

/// What vkCreateImage and vkGetPhysicalDeviceImageFormatProperties get for an image.
VkImageCreateInfo ImageInfo(const BoundImage& image);
VkImageViewType ViewType(const BoundImage& image);
/// The format of depth images and depth targets.
constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;
/// The same for a colour target or a depth target.
VkImageCreateInfo TargetInfo(VkFormat format, uint32_t width, uint32_t height, uint32_t samples);

VkDescriptorType DescriptorType(const BoundImage& image);
VkDescriptorType DescriptorType(const BoundBuffer& buffer);

}  // namespace driver
}  // namespace refract
