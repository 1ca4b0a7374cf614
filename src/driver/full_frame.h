// SPDX-License-Identifier: Apache-2.0
// What pipelines that draw have in common: a viewport over the whole frame, the state of
// rasterisation, and a vertex shader with one triangle that covers the frame.
#pragma once

#include <vector>

#include "driver/device.h"
#include "driver/vulkan.h"

namespace refract {
inline namespace driver {

/// A vertex shader without inputs. Drawn with three vertices, it covers the frame.
const std::vector<uint32_t>& TriangleModule();

VulkanFailure MakeShader(const Device& device, const std::vector<uint32_t>& words,
                         Owned<VkShaderModule>* module);

/// The fixed state of a pipeline that draws triangles without vertex buffers, depths or blending.
/// Change its members before Info(). The result of Info() points into this object.
class FrameState {
 public:
  FrameState(uint32_t width, uint32_t height, uint32_t colours);
  FrameState(const FrameState&) = delete;
  FrameState& operator=(const FrameState&) = delete;

  VkGraphicsPipelineCreateInfo Info(
      const std::vector<VkPipelineShaderStageCreateInfo>& stages) const;

  VkPipelineVertexInputStateCreateInfo input;
  VkPipelineInputAssemblyStateCreateInfo assembly;
  VkPipelineMultisampleStateCreateInfo samples;

 private:
  VkRect2D frame_;
  VkViewport viewport_;
  VkPipelineViewportStateCreateInfo view_;
  VkPipelineRasterizationStateCreateInfo raster_;
  std::vector<VkPipelineColorBlendAttachmentState> colours_;
  VkPipelineColorBlendStateCreateInfo blend_;
};

}  // namespace driver
}  // namespace refract
