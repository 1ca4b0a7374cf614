// SPDX-License-Identifier: Apache-2.0
// The bindings of a job as Vulkan descriptor sets: filled before the job runs and read back after
// it.
#pragma once

#include <vector>

#include "driver/acceleration.h"
#include "driver/device.h"
#include "driver/resources.h"
#include "driver/run.h"
#include "driver/sample_upload.h"
#include "driver/vulkan.h"

namespace refract {
inline namespace driver {

/// Sets without bindings exist and are empty.
struct DescriptorSets {
  std::vector<Owned<VkDescriptorSetLayout>> layouts;
  std::vector<VkDescriptorSetLayout> layout_handles;
  std::vector<Buffer> buffers;               ///< in the order of Bindings::buffers
  std::vector<LoadedImage> images;           ///< in the order of Bindings::images
  std::vector<SampleUpload> sample_uploads;  ///< for each multisampled image of `images`, in order
  std::vector<SampleReadBack> sample_read_backs;  ///< for the storage images among these
  std::vector<SceneStructures> scenes;            ///< of the acceleration structures among these
  Owned<VkDescriptorPool> pool;
  std::vector<VkDescriptorSet> sets;

  /// Makes what a pipeline layout needs.
  VulkanFailure MakeLayouts(const Device& device, const Bindings& bindings,
                            VkShaderStageFlags stage);
  /// Makes what a draw or a dispatch needs. Call MakeLayouts first.
  VulkanFailure Fill(const Device& device, const Bindings& bindings);
  /// Records the copies of texels into the images and the builds of acceleration structures.
  /// `stage` then reads them. Not in a render pass.
  void RecordUpload(VkCommandBuffer commands, const Bindings& bindings,
                    VkPipelineStageFlags stage) const;
  /// Records the copies of storage images back into their staging buffers.
  void RecordReadBack(VkCommandBuffer commands, const Bindings& bindings,
                      VkPipelineStageFlags stage) const;
  /// The contents of the storage buffers and storage images, after the work is done.
  std::vector<BoundBuffer> ReadBuffers(const Bindings& bindings) const;
  std::vector<BoundImage> ReadImages(const Bindings& bindings) const;

 private:
  VulkanFailure MakePool(const Device& device, const Bindings& bindings);
  /// A write of the descriptor, without what it refers to.
  template <class Bound>
  VkWriteDescriptorSet WriteTo(const Bound& bound) const;
  VulkanFailure FillBuffer(const Device& device, const BoundBuffer& bound);
  VulkanFailure FillImage(const Device& device, const BoundImage& bound);
  VulkanFailure FillScene(const Device& device, const BoundImage& bound);
};

}  // namespace driver
}  // namespace refract
