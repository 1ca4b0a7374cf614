// SPDX-License-Identifier: Apache-2.0
#include "driver/vulkan_format.h"

#include "base/check.h"

namespace refract {
inline namespace driver {
namespace {

VkImageCreateInfo PlainInfo(VkFormat format, VkExtent3D extent, VkImageUsageFlags usage) {
  auto info = Structure<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = extent;
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = usage;
  return info;
}

VkImageUsageFlags UsageOf(const BoundImage& image) {
  constexpr VkImageUsageFlags kUpload = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  // Draws fill a multisampled image, and read it back (sample_upload.h).
  if (image.samples > 1) {
    constexpr VkImageUsageFlags kDrawn = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    return kDrawn |
           (image.kind == BoundImage::kAttachment ? VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT
                                                  : VK_IMAGE_USAGE_SAMPLED_BIT) |
           (image.kind == BoundImage::kStorage ? VK_IMAGE_USAGE_STORAGE_BIT : 0);
  }
  switch (image.kind) {
    case BoundImage::kStorage:
      return VK_IMAGE_USAGE_STORAGE_BIT | kUpload | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    case BoundImage::kAttachment:
      return VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | kUpload;
    default:
      return VK_IMAGE_USAGE_SAMPLED_BIT | kUpload;
  }
}

}  // namespace

VkFormat VulkanFormat(spv::ImageFormat format) {
  using F = spv::ImageFormat;
  switch (format) {
    case F::R8:
      return VK_FORMAT_R8_UNORM;
    case F::R8Snorm:
      return VK_FORMAT_R8_SNORM;
    case F::R8i:
      return VK_FORMAT_R8_SINT;
    case F::R8ui:
      return VK_FORMAT_R8_UINT;
    case F::R16:
      return VK_FORMAT_R16_UNORM;
    case F::R16Snorm:
      return VK_FORMAT_R16_SNORM;
    case F::R16f:
      return VK_FORMAT_R16_SFLOAT;
    case F::R16i:
      return VK_FORMAT_R16_SINT;
    case F::R16ui:
      return VK_FORMAT_R16_UINT;
    case F::R32f:
      return VK_FORMAT_R32_SFLOAT;
    case F::R32i:
      return VK_FORMAT_R32_SINT;
    case F::R32ui:
      return VK_FORMAT_R32_UINT;
    case F::Rg8:
      return VK_FORMAT_R8G8_UNORM;
    case F::Rg8Snorm:
      return VK_FORMAT_R8G8_SNORM;
    case F::Rg8i:
      return VK_FORMAT_R8G8_SINT;
    case F::Rg8ui:
      return VK_FORMAT_R8G8_UINT;
    case F::Rg16:
      return VK_FORMAT_R16G16_UNORM;
    case F::Rg16Snorm:
      return VK_FORMAT_R16G16_SNORM;
    case F::Rg16f:
      return VK_FORMAT_R16G16_SFLOAT;
    case F::Rg16i:
      return VK_FORMAT_R16G16_SINT;
    case F::Rg16ui:
      return VK_FORMAT_R16G16_UINT;
    case F::Rg32f:
      return VK_FORMAT_R32G32_SFLOAT;
    case F::Rg32i:
      return VK_FORMAT_R32G32_SINT;
    case F::Rg32ui:
      return VK_FORMAT_R32G32_UINT;
    case F::Rgba8:
      return VK_FORMAT_R8G8B8A8_UNORM;
    case F::Rgba8Snorm:
      return VK_FORMAT_R8G8B8A8_SNORM;
    case F::Rgba8i:
      return VK_FORMAT_R8G8B8A8_SINT;
    case F::Rgba8ui:
      return VK_FORMAT_R8G8B8A8_UINT;
    case F::Rgba16:
      return VK_FORMAT_R16G16B16A16_UNORM;
    case F::Rgba16Snorm:
      return VK_FORMAT_R16G16B16A16_SNORM;
    case F::Rgba16f:
      return VK_FORMAT_R16G16B16A16_SFLOAT;
    case F::Rgba16i:
      return VK_FORMAT_R16G16B16A16_SINT;
    case F::Rgba16ui:
      return VK_FORMAT_R16G16B16A16_UINT;
    case F::Rgba32f:
      return VK_FORMAT_R32G32B32A32_SFLOAT;
    case F::Rgba32i:
      return VK_FORMAT_R32G32B32A32_SINT;
    case F::Rgba32ui:
      return VK_FORMAT_R32G32B32A32_UINT;
    default:
      return VK_FORMAT_UNDEFINED;
  }
}

// Vulkan numbers the formats of one size in this order: UINT, SINT and, from 16 bits on, SFLOAT.
VkFormat VulkanFormat(const BoundAttribute& attribute) {
  constexpr VkFormat kUints[4][4] = {
      {VK_FORMAT_R8_UINT, VK_FORMAT_R8G8_UINT, VK_FORMAT_R8G8B8_UINT, VK_FORMAT_R8G8B8A8_UINT},
      {VK_FORMAT_R16_UINT, VK_FORMAT_R16G16_UINT, VK_FORMAT_R16G16B16_UINT,
       VK_FORMAT_R16G16B16A16_UINT},
      {VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32_UINT,
       VK_FORMAT_R32G32B32A32_UINT},
      {VK_FORMAT_R64_UINT, VK_FORMAT_R64G64_UINT, VK_FORMAT_R64G64B64_UINT,
       VK_FORMAT_R64G64B64A64_UINT}};
  const int size = attribute.width == 8    ? 0
                   : attribute.width == 16 ? 1
                   : attribute.width == 32 ? 2
                                           : 3;
  const int after = attribute.kind == BoundAttribute::kUint  ? 0
                    : attribute.kind == BoundAttribute::kInt ? 1
                                                             : 2;
  static_assert(VK_FORMAT_R64G64B64A64_SINT == VK_FORMAT_R64G64B64A64_UINT + 1 &&
                VK_FORMAT_R64G64B64A64_SFLOAT == VK_FORMAT_R64G64B64A64_UINT + 2);
  return static_cast<VkFormat>(kUints[size][attribute.components - 1] + after);
}

VkCompareOp VulkanCompare(BoundImage::Compare compare) {
  return static_cast<VkCompareOp>(compare - BoundImage::kNever);
}

VkPrimitiveTopology VulkanTopology(BoundMesh::Topology topology) {
  switch (topology) {
    case BoundMesh::kTriangleList:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    case BoundMesh::kTriangleStrip:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    case BoundMesh::kTriangleFan:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
  }
  CHECK(false);
}

VkImageCreateInfo ImageInfo(const BoundImage& image) {
  VkImageCreateInfo info =
      PlainInfo(image.compare == BoundImage::kNone ? VulkanFormat(image.format) : kDepthFormat,
                {image.width, image.height, image.depth}, UsageOf(image));
  if (image.dim == spv::Dim::Dim1D) info.imageType = VK_IMAGE_TYPE_1D;
  if (image.dim == spv::Dim::Dim3D) info.imageType = VK_IMAGE_TYPE_3D;
  if (image.dim == spv::Dim::Cube) info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  info.arrayLayers = image.layers;
  info.mipLevels = image.levels;
  info.samples = static_cast<VkSampleCountFlagBits>(image.samples);
  return info;
}

VkImageViewType ViewType(const BoundImage& image) {
  switch (image.dim) {
    case spv::Dim::Dim1D:
      return image.arrayed ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
    case spv::Dim::Dim3D:
      return VK_IMAGE_VIEW_TYPE_3D;
    case spv::Dim::Cube:
      return image.arrayed ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
    default:
      return image.arrayed ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  }
}

VkImageCreateInfo TargetInfo(VkFormat format, uint32_t width, uint32_t height, uint32_t samples) {
  const VkImageUsageFlags target = format == kDepthFormat
                                       ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                       : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  // Draws read the samples back (sample_upload.h).
  VkImageCreateInfo info = PlainInfo(
      format, {width, height, 1},
      target | (samples > 1 ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
  info.samples = static_cast<VkSampleCountFlagBits>(samples);
  return info;
}

VkDescriptorType DescriptorType(const BoundImage& image) {
  if (image.dim == spv::Dim::Buffer && HasTexels(image.kind)) {
    return image.kind == BoundImage::kStorage ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER
                                              : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  }
  switch (image.kind) {
    case BoundImage::kSampled:
      return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case BoundImage::kCombined:
      return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case BoundImage::kSampler:
      return VK_DESCRIPTOR_TYPE_SAMPLER;
    case BoundImage::kStorage:
      return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case BoundImage::kAttachment:
      return VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
    case BoundImage::kScene:
      return VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
  }
  CHECK(false);
}

VkDescriptorType DescriptorType(const BoundBuffer& buffer) {
  return buffer.storage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
}

}  // namespace driver
}  // namespace refract
