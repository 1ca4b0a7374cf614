// SPDX-License-Identifier: Apache-2.0
// Makes the Vulkan pipeline for a shader under test. Drivers compile shaders at this point.
#pragma once

#include <string>
#include <vector>

#include "driver/device.h"
#include "driver/run.h"
#include "driver/stage.h"
#include "driver/vulkan.h"

namespace refract {
inline namespace driver {

struct Pipeline {
  Owned<VkRenderPass> pass;  ///< graphics only
  Owned<VkPipelineLayout> layout;
  Owned<VkShaderModule> shader;     ///< the shader under test
  Owned<VkShaderModule> companion;  ///< graphics only: the other shader
  Owned<VkPipeline> handle;

  /// `sets`: the layouts of the descriptor sets.
  VulkanFailure Make(const Device& device, const Job& job, const EntryPointInfo& stage,
                     const std::vector<VkDescriptorSetLayout>& sets);

 private:
  VulkanFailure MakePass(const Device& device, const EntryPointInfo& stage);
  VulkanFailure MakeLayout(const Device& device, const Job& job, const EntryPointInfo& stage,
                           const std::vector<VkDescriptorSetLayout>& sets);
  VulkanFailure MakeGraphics(const Device& device, const Job& job, const EntryPointInfo& stage,
                             const VkPipelineShaderStageCreateInfo* stages);
  VulkanFailure MakeCompute(const Device& device, const VkPipelineShaderStageCreateInfo& shader);
};

/// The Vulkan name of the stage under test.
inline VkShaderStageFlagBits StageFlag(const EntryPointInfo& stage) {
  return stage.is_compute()  ? VK_SHADER_STAGE_COMPUTE_BIT
         : stage.is_vertex() ? VK_SHADER_STAGE_VERTEX_BIT
                             : VK_SHADER_STAGE_FRAGMENT_BIT;
}
/// The stages that can use the bindings.
inline VkShaderStageFlags StageFlags(const EntryPointInfo& stage) {
  return stage.linked ? VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT
                      : static_cast<VkShaderStageFlags>(StageFlag(stage));
}

/// The size of the push constants in bytes, rounded up to whole words.
inline uint32_t PushConstantSize(const Bindings& bindings) {
  return static_cast<uint32_t>((bindings.push_constants.size() + 3) / 4 * 4);
}

}  // namespace driver
}  // namespace refract
