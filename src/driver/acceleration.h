// SPDX-License-Identifier: Apache-2.0
// The acceleration structures of a scene (docs/inputs.md, "Scenes"): one for each body, and one of
// all instances, which shaders trace rays through.
#pragma once

#include <vector>

#include "driver/device.h"
#include "driver/resources.h"
#include "driver/run.h"
#include "driver/vulkan.h"

namespace refract {
inline namespace driver {

/// The hit records of bodies of triangles, which come before those of boxes. A record has the
/// number offset + geometry * stride + record offset of the instance, of which the first and the
/// second have 4 bits, and a body has two geometries.
constexpr uint32_t kSheetRecords = 32;

/// One acceleration structure, and what it is built from.
struct AccelerationStructure {
  VkAccelerationStructureTypeKHR type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR;
  std::vector<VkAccelerationStructureGeometryKHR> geometries;
  std::vector<VkAccelerationStructureBuildRangeInfoKHR> ranges;  ///< one for each geometry
  std::vector<Buffer> data;  ///< triangles, boxes or instances of the geometries
  Buffer storage;
  Buffer scratch;
  Owned<VkAccelerationStructureKHR> handle;
  VkDeviceAddress address = 0;

  /// Adds a geometry of `count` primitives, which are in `bytes`.
  VulkanFailure Add(const Device& device, VkAccelerationStructureGeometryKHR geometry,
                    uint32_t count, const void* bytes, size_t size);
  /// Makes the acceleration structure, which has no content yet.
  VulkanFailure Make(const Device& device);
  void RecordBuild(VkCommandBuffer commands) const;

 private:
  VkAccelerationStructureBuildGeometryInfoKHR BuildInfo() const;

  VkDeviceAddress scratch_begin_ = 0;
};

class SceneStructures {
 public:
  VulkanFailure Make(const Device& device, BoundImage::Scene scene);
  /// Records the builds. `stage` may trace rays after them.
  void RecordBuild(VkCommandBuffer commands, VkPipelineStageFlags stage) const;
  VkAccelerationStructureKHR top() const { return top_.handle.get(); }

 private:
  std::vector<AccelerationStructure> bodies_;
  AccelerationStructure top_;
};

}  // namespace driver
}  // namespace refract
