// SPDX-License-Identifier: Apache-2.0
#include "driver/sample_upload.h"

#include "driver/vulkan_format.h"

namespace refract {
inline namespace driver {
namespace {

constexpr ImageState kWritten = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                                 VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL};
constexpr ImageState kCopied = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT,
                                VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};

}  // namespace

BoundImage JoinedOf(const BoundImage& image) {
  BoundImage joined;
  joined.kind = BoundImage::kSampled;
  joined.arrayed = true;
  joined.format = image.format;
  joined.width = image.width * image.samples;
  joined.height = image.height;
  joined.layers = image.layers;
  return joined;
}

VkImageCreateInfo JoinedTargetInfo(const BoundImage& image) {
  VkImageCreateInfo info =
      TargetInfo(VulkanFormat(image.format), image.width * image.samples, image.height, 1);
  info.arrayLayers = image.layers;
  return info;
}

VulkanFailure SampleUpload::Make(const Device& device, const BoundImage& bound,
                                 const VulkanImage& image) {
  const BoundImage source = JoinedOf(bound);
  if (VulkanFailure failed = source_.Make(device, ImageInfo(source), ViewType(source))) {
    return failed;
  }
  texel_bytes_ = TexelSize(bound.format);
  return copy_.Make(device, SampleCopy::kSpread, bound, source_.image.get(), image.image.get());
}

void SampleUpload::Record(VkCommandBuffer commands, VkBuffer texels) const {
  source_.Barrier(commands, ImageState(), kWritten);
  const std::vector<VkBufferImageCopy> copies = source_.WholeCopy(texel_bytes_);
  vkCmdCopyBufferToImage(commands, texels, source_.image.get(), kWritten.layout, 1, copies.data());
  source_.Barrier(commands, kWritten, SampleCopy::ReadState());
  copy_.Record(commands);
}

VulkanFailure SampleReadBack::Make(const Device& device, const BoundImage& bound,
                                   const VulkanImage& image) {
  if (VulkanFailure failed =
          target_.Make(device, JoinedTargetInfo(bound), VK_IMAGE_VIEW_TYPE_2D_ARRAY)) {
    return failed;
  }
  texel_bytes_ = TexelSize(bound.format);
  return copy_.Make(device, SampleCopy::kJoin, bound, image.image.get(), target_.image.get());
}

void SampleReadBack::Record(VkCommandBuffer commands, VkBuffer texels) const {
  copy_.Record(commands);
  target_.Barrier(commands, SampleCopy::DrawnState(), kCopied);
  const std::vector<VkBufferImageCopy> copies = target_.WholeCopy(texel_bytes_);
  vkCmdCopyImageToBuffer(commands, target_.image.get(), kCopied.layout, texels, 1, copies.data());
}

}  // namespace driver
}  // namespace refract
