// SPDX-License-Identifier: Apache-2.0
// The shader binding table of a pipeline that traces rays, and the call that traces them.
#pragma once

#include "driver/device.h"
#include "driver/pipeline.h"
#include "driver/resources.h"
#include "driver/vulkan.h"

namespace refract {
inline namespace driver {

class RayRecords {
 public:
  /// Makes the table: one record for ray generation, then kMissRecords equal ones for misses, then
  /// kSheetRecords for hits of bodies of triangles and as many for bodies of boxes, then
  /// kCallableRecords equal ones if the pipeline has a callable shader.
  VulkanFailure Make(const Device& device, VkPipeline pipeline, bool has_callable);
  /// Records a call of the ray generation shader for each of size[0] * size[1] * size[2] ids.
  void RecordTrace(VkCommandBuffer commands, const uint32_t (&size)[3]) const;

 private:
  Buffer table_;
  VkDeviceAddress begin_ = 0;
  bool has_callable_ = false;
};

}  // namespace driver
}  // namespace refract
