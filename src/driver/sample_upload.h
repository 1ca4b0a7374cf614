// SPDX-License-Identifier: Apache-2.0
// Fills a multisampled image. vkCmdCopyBufferToImage does not copy to such an image, and not every
// device can store to it in a shader. So the texels are copied to an image with one sample for each
// texel, and draws copy them from there: one draw for each layer and sample, whose fragments cover
// only this sample.
#pragma once

#include <vector>

#include "driver/device.h"
#include "driver/resources.h"
#include "driver/vulkan.h"
#include "input/bindings.h"

namespace refract {
inline namespace driver {

/// The image from which the draws copy, without texels: an array with the same layers, in which the
/// samples of a texel are next to each other.
BoundImage SourceOf(const BoundImage& image);

class SampleUpload {
 public:
  /// `image` is the multisampled image, and must outlive this object. Its state after the draws is
  /// Drawn().
  VulkanFailure Make(const Device& device, const BoundImage& bound, const VulkanImage& image);
  /// Records the copy from the start of `texels` and the draws.
  void Record(VkCommandBuffer commands, VkBuffer texels) const;
  static ImageState Drawn();

 private:
  VulkanFailure MakeSource(const Device& device);
  VulkanFailure MakePass(const Device& device);
  VulkanFailure MakeFrames(const Device& device, VkImage image);
  VulkanFailure MakePipeline(const Device& device);

  BoundImage bound_;  // without texels
  VulkanImage source_;
  Owned<VkDescriptorSetLayout> set_layout_;
  Owned<VkDescriptorPool> pool_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  Owned<VkRenderPass> pass_;
  Owned<VkPipelineLayout> layout_;
  Owned<VkShaderModule> triangle_, copy_;
  Owned<VkPipeline> pipeline_;
  std::vector<Owned<VkImageView>> views_;     // by layer
  std::vector<Owned<VkFramebuffer>> frames_;  // by layer
};

}  // namespace driver
}  // namespace refract
