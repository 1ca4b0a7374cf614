// SPDX-License-Identifier: Apache-2.0
// Formats and shapes of images as Vulkan has them.
#pragma once

#include "driver/vulkan.h"
#include "input/bindings.h"

namespace refract::inline driver {

/// VK_FORMAT_UNDEFINED for formats that images may not have (input/texels.h).
VkFormat VulkanFormat(spv::ImageFormat format);

/// What vkCreateImage and vkGetPhysicalDeviceImageFormatProperties are told of an image.
VkImageCreateInfo ImageInfo(const BoundImage& image);
VkImageViewType ViewType(const BoundImage& image);
/// The same of a colour target.
VkImageCreateInfo TargetInfo(spv::ImageFormat format, uint32_t width, uint32_t height);

VkDescriptorType DescriptorType(const BoundImage& image);
VkDescriptorType DescriptorType(const BoundBuffer& buffer);

}  // namespace refract::inline driver
