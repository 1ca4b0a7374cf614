// SPDX-License-Identifier: Apache-2.0
// Copies between a multisampled image and one with a sample for each texel, in which the samples of
// a texel are next to each other. vkCmdCopyBufferToImage does not copy to a multisampled image,
// vkCmdCopyImageToBuffer not from one, and not every device can store to one in a shader, so draws
// do it.
#pragma once

#include <vector>

#include "driver/device.h"
#include "driver/resources.h"
#include "driver/vulkan.h"
#include "input/bindings.h"

namespace refract {
inline namespace driver {

class SampleCopy {
 public:
  /// kSpread copies to the multisampled image: one draw for each layer and sample, whose fragments
  /// cover only this sample. kJoin copies from it: one draw for each layer.
  enum Direction : uint8_t { kSpread, kJoin };

  /// `bound` describes the multisampled image. Both images must outlive this object. Colours are
  /// copied; values of floats that are denormal, and the sign of a zero, may be lost.
  VulkanFailure Make(const Device& device, Direction direction, const BoundImage& bound,
                     VkImage from, VkImage to);
  /// Records the draws. Before them, `from` must be in the state ReadState(); after them, `to` is
  /// in the state DrawnState(), whatever it was before.
  void Record(VkCommandBuffer commands) const;
  static ImageState ReadState();
  static ImageState DrawnState();

 private:
  VulkanFailure MakeView(const Device& device, VkImage image, VkImageViewType type, uint32_t first,
                         uint32_t layers);
  VulkanFailure MakeSource(const Device& device);
  VulkanFailure MakePass(const Device& device);
  VulkanFailure MakeFrames(const Device& device, VkImage image);
  VulkanFailure MakePipeline(const Device& device);
  uint32_t target_samples() const { return direction_ == kSpread ? bound_.samples : 1; }
  uint32_t target_width() const {
    return direction_ == kSpread ? bound_.width : bound_.width * bound_.samples;
  }

  Direction direction_ = kSpread;
  BoundImage bound_;  // without texels
  Owned<VkDescriptorSetLayout> set_layout_;
  Owned<VkDescriptorPool> pool_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  Owned<VkRenderPass> pass_;
  Owned<VkPipelineLayout> layout_;
  Owned<VkShaderModule> triangle_, copy_;
  Owned<VkPipeline> pipeline_;
  std::vector<Owned<VkImageView>> views_;     // of the source, then of the target by layer
  std::vector<Owned<VkFramebuffer>> frames_;  // by layer
};

}  // namespace driver
}  // namespace refract
