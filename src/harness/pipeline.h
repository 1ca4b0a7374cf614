// SPDX-License-Identifier: Apache-2.0
// The graphics pipeline around a fragment shader under test: here is where drivers compile.
#pragma once

#include <vector>

#include "harness/device.h"
#include "harness/requirements.h"
#include "harness/run.h"
#include "harness/vulkan.h"

namespace refract {

struct Pipeline {
  Owned<VkRenderPass> pass;
  Owned<VkPipelineLayout> layout;
  Owned<VkShaderModule> vertex;
  Owned<VkShaderModule> fragment;
  Owned<VkPipeline> handle;

  /// `sets`: the layouts of the descriptor sets.
  VulkanFailure Make(const Device& device, const Job& job, const ModuleHeader& module,
                     const std::vector<VkDescriptorSetLayout>& sets);

 private:
  VulkanFailure MakePass(const Device& device);
  VulkanFailure MakeLayout(const Device& device, const Job& job,
                           const std::vector<VkDescriptorSetLayout>& sets);
  VulkanFailure MakePipeline(const Device& device, const Job& job, const ModuleHeader& module);
};

/// Push constants are handed over in whole words.
inline uint32_t PushConstantSize(const Bindings& bindings) {
  return static_cast<uint32_t>((bindings.push_constants.size() + 3) / 4 * 4);
}

}  // namespace refract
