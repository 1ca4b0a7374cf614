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
  Owned<VkShaderModule> shader;               ///< the shader under test
  std::vector<Owned<VkShaderModule>> others;  ///< the other shaders
  Owned<VkPipeline> handle;

  /// `sets`: the layouts of the descriptor sets.
  VulkanFailure Make(const Device& device, const Job& job, const EntryPointInfo& stage,
                     const std::vector<VkDescriptorSetLayout>& sets);

 private:
  VulkanFailure MakePass(const Device& device, const Job& job, const EntryPointInfo& stage);
  VulkanFailure MakeLayout(const Device& device, const Job& job, const EntryPointInfo& stage,
                           const std::vector<VkDescriptorSetLayout>& sets);
  VulkanFailure MakeGraphics(const Device& device, const Job& job, const EntryPointInfo& stage,
                             const std::vector<VkPipelineShaderStageCreateInfo>& stages);
  VulkanFailure MakeCompute(const Device& device, const VkPipelineShaderStageCreateInfo& shader);
  VulkanFailure MakeRays(const Device& device, const EntryPointInfo& stage,
                         std::vector<VkPipelineShaderStageCreateInfo> stages);
};

/// The groups of a pipeline that traces rays, in order. Bodies of triangles and of boxes need
/// different groups. Only a pipeline with a callable shader has the last one.
enum RayGroup : uint32_t {
  kGenerationGroup,
  kMissGroup,
  kSheetGroup,
  kBoxGroup,
  kCallableGroup,
  kRayGroups
};

/// The Vulkan name of a stage.
VkShaderStageFlagBits StageFlag(spv::ExecutionModel model);
/// The stages that can use the bindings.
VkShaderStageFlags StageFlags(const EntryPointInfo& stage);
/// The same stages as parts of a pipeline.
VkPipelineStageFlags PipelineStageFlags(const EntryPointInfo& stage);

/// The size of the push constants in bytes, rounded up to whole words.
inline uint32_t PushConstantSize(const Bindings& bindings) {
  return static_cast<uint32_t>((bindings.push_constants.size() + 3) / 4 * 4);
}

}  // namespace driver
}  // namespace refract
