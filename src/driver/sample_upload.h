// SPDX-License-Identifier: Apache-2.0
// Fills multisampled images from buffers, and reads them back.
#pragma once

#include "driver/device.h"
#include "driver/resources.h"
#include "driver/sample_copy.h"
#include "driver/vulkan.h"
#include "input/bindings.h"

namespace refract {
inline namespace driver {

/// The image from which a multisampled image is filled, without texels: an array with the same
/// layers, in which the samples of a texel are next to each other.
BoundImage JoinedOf(const BoundImage& image);

/// The image to which a multisampled image is read back, with the same size.
VkImageCreateInfo JoinedTargetInfo(const BoundImage& image);

class SampleUpload {
 public:
  /// `image` is the multisampled image, and must outlive this object. Its state after the draws is
  /// SampleCopy::DrawnState().
  VulkanFailure Make(const Device& device, const BoundImage& bound, const VulkanImage& image);
  /// Records the copy from the start of `texels` and the draws.
  void Record(VkCommandBuffer commands, VkBuffer texels) const;

 private:
  VulkanImage source_;
  uint32_t texel_bytes_ = 0;
  SampleCopy copy_;
};

class SampleReadBack {
 public:
  /// `bound` describes the multisampled image `image`, which must outlive this object.
  VulkanFailure Make(const Device& device, const BoundImage& bound, const VulkanImage& image);
  /// Records the draws and the copy to the start of `texels`. The image must be in the state
  /// SampleCopy::ReadState().
  void Record(VkCommandBuffer commands, VkBuffer texels) const;

 private:
  VulkanImage target_;
  uint32_t texel_bytes_ = 0;
  SampleCopy copy_;
};

}  // namespace driver
}  // namespace refract
