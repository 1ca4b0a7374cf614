// SPDX-License-Identifier: Apache-2.0
#include "driver/acceleration.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace refract {
inline namespace driver {
namespace {

// At least minAccelerationStructureScratchOffsetAlignment of every device (Vulkan, "Required
// Limits").
constexpr VkDeviceSize kScratchAlignment = 256;

struct Corner {
  float x, y, z;
};
struct Triangle {
  Corner corners[3];
};

constexpr Triangle SheetAt(float z) {
  return {{{0, 0, z}, {4, 0, z}, {0, 4, z}}};
}

// The bodies of the scene "steps".
constexpr Triangle kSolidSheet[] = {SheetAt(8)};
constexpr Triangle kThinSheets[] = {SheetAt(0), SheetAt(4)};
constexpr VkAabbPositionsKHR kThinBox[] = {{0, 0, 0, 4, 4, 4}};
constexpr VkAabbPositionsKHR kSolidBox[] = {{0, 0, 8, 4, 4, 12}};
constexpr uint32_t kInstances = 16;

VkAccelerationStructureGeometryKHR Geometry(VkGeometryTypeKHR type, VkGeometryFlagsKHR flags) {
  auto geometry = Structure<VkAccelerationStructureGeometryKHR>(
      VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR);
  geometry.geometryType = type;
  // Otherwise a driver may report a candidate twice.
  geometry.flags = flags | VK_GEOMETRY_NO_DUPLICATE_ANY_HIT_INVOCATION_BIT_KHR;
  return geometry;
}

template <size_t kCount>
VulkanFailure AddSheets(const Device& device, const Triangle (&sheets)[kCount],
                        VkGeometryFlagsKHR flags, AccelerationStructure* body) {
  auto geometry = Geometry(VK_GEOMETRY_TYPE_TRIANGLES_KHR, flags);
  auto& triangles = geometry.geometry.triangles;
  triangles.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR;
  triangles.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT;
  triangles.vertexStride = sizeof(Corner);
  triangles.maxVertex = 3 * kCount - 1;
  triangles.indexType = VK_INDEX_TYPE_NONE_KHR;
  return body->Add(device, geometry, kCount, sheets, sizeof sheets);
}

template <size_t kCount>
VulkanFailure AddBoxes(const Device& device, const VkAabbPositionsKHR (&boxes)[kCount],
                       VkGeometryFlagsKHR flags, AccelerationStructure* body) {
  auto geometry = Geometry(VK_GEOMETRY_TYPE_AABBS_KHR, flags);
  geometry.geometry.aabbs.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR;
  geometry.geometry.aabbs.stride = sizeof(VkAabbPositionsKHR);
  return body->Add(device, geometry, kCount, boxes, sizeof boxes);
}

// Instance `number` of the scene "steps".
VkAccelerationStructureInstanceKHR Step(uint32_t number, VkDeviceAddress body) {
  VkAccelerationStructureInstanceKHR instance{};
  auto& matrix = instance.transform.matrix;
  matrix[0][0] = matrix[1][1] = 1;
  matrix[2][2] = number < kInstances / 2 ? 1 : 2;
  matrix[0][3] = static_cast<float>(8 * (number % 4));
  matrix[1][3] = static_cast<float>(8 * (number / 4));
  matrix[2][3] = static_cast<float>(number + 1);
  instance.instanceCustomIndex = 100 + 3 * number;
  instance.mask = 1u << (number % 8);
  instance.instanceShaderBindingTableRecordOffset = number % 2 == 0 ? 0 : kSheetRecords;
  instance.accelerationStructureReference = body;
  return instance;
}

// Lets `to` wait for all builds before.
void WaitForBuilds(VkCommandBuffer commands, VkPipelineStageFlags to) {
  auto built = Structure<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  built.srcAccessMask = VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR;
  built.dstAccessMask = VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR, to, 0, 1,
                       &built, 0, nullptr, 0, nullptr);
}

}  // namespace

VulkanFailure AccelerationStructure::Add(const Device& device,
                                         VkAccelerationStructureGeometryKHR geometry,
                                         uint32_t count, const void* bytes, size_t size) {
  Buffer& buffer = data.emplace_back();
  const VkBufferUsageFlags usage =
      VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR |
      VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  // An empty list has a buffer, too.
  if (VulkanFailure failed = buffer.Make(device, std::max<size_t>(size, 64), usage)) return failed;
  if (size != 0) std::memcpy(buffer.mapped, bytes, size);
  const VkDeviceOrHostAddressConstKHR at{buffer.Address(device)};
  if (geometry.geometryType == VK_GEOMETRY_TYPE_TRIANGLES_KHR) {
    geometry.geometry.triangles.vertexData = at;
  } else if (geometry.geometryType == VK_GEOMETRY_TYPE_AABBS_KHR) {
    geometry.geometry.aabbs.data = at;
  } else {
    geometry.geometry.instances.data = at;
  }
  geometries.push_back(geometry);
  ranges.push_back({count, 0, 0, 0});
  return {};
}

VkAccelerationStructureBuildGeometryInfoKHR AccelerationStructure::BuildInfo() const {
  auto info = Structure<VkAccelerationStructureBuildGeometryInfoKHR>(
      VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR);
  info.type = type;
  info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR;
  info.geometryCount = static_cast<uint32_t>(geometries.size());
  info.pGeometries = geometries.data();
  return info;
}

VulkanFailure AccelerationStructure::Make(const Device& device) {
  std::vector<uint32_t> counts;
  for (const VkAccelerationStructureBuildRangeInfoKHR& range : ranges) {
    counts.push_back(range.primitiveCount);
  }
  const VkAccelerationStructureBuildGeometryInfoKHR build = BuildInfo();
  auto sizes = Structure<VkAccelerationStructureBuildSizesInfoKHR>(
      VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR);
  vkGetAccelerationStructureBuildSizesKHR(device.handle(),
                                          VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &build,
                                          counts.data(), &sizes);
  if (VulkanFailure failed = storage.Make(device, sizes.accelerationStructureSize,
                                          VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR |
                                              VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT)) {
    return failed;
  }
  if (VulkanFailure failed = scratch.Make(
          device, sizes.buildScratchSize + kScratchAlignment,
          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT)) {
    return failed;
  }
  auto info = Structure<VkAccelerationStructureCreateInfoKHR>(
      VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR);
  info.buffer = storage.handle.get();
  info.size = sizes.accelerationStructureSize;
  info.type = type;
  handle = {device.handle(), vkDestroyAccelerationStructureKHR};
  const VkResult made =
      vkCreateAccelerationStructureKHR(device.handle(), &info, nullptr, handle.out());
  if (made != VK_SUCCESS) return {"vkCreateAccelerationStructureKHR", made};
  auto of = Structure<VkAccelerationStructureDeviceAddressInfoKHR>(
      VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR);
  of.accelerationStructure = handle.get();
  address = vkGetAccelerationStructureDeviceAddressKHR(device.handle(), &of);
  const VkDeviceAddress begin = scratch.Address(device) + kScratchAlignment - 1;
  scratch_begin_ = begin / kScratchAlignment * kScratchAlignment;
  return {};
}

void AccelerationStructure::RecordBuild(VkCommandBuffer commands) const {
  VkAccelerationStructureBuildGeometryInfoKHR info = BuildInfo();
  info.dstAccelerationStructure = handle.get();
  info.scratchData.deviceAddress = scratch_begin_;
  const VkAccelerationStructureBuildRangeInfoKHR* all = ranges.data();
  vkCmdBuildAccelerationStructuresKHR(commands, 1, &info, &all);
}

VulkanFailure SceneStructures::Make(const Device& device, BoundImage::Scene scene) {
  std::vector<VkAccelerationStructureInstanceKHR> instances;
  if (scene == BoundImage::kSteps) {
    bodies_.resize(2);
    constexpr VkGeometryFlagsKHR kSolid = VK_GEOMETRY_OPAQUE_BIT_KHR, kThin = 0;
    VulkanFailure failed = AddSheets(device, kSolidSheet, kSolid, &bodies_[0]);
    if (!failed) failed = AddSheets(device, kThinSheets, kThin, &bodies_[0]);
    if (!failed) failed = AddBoxes(device, kThinBox, kThin, &bodies_[1]);
    if (!failed) failed = AddBoxes(device, kSolidBox, kSolid, &bodies_[1]);
    for (AccelerationStructure& body : bodies_) {
      if (!failed) failed = body.Make(device);
    }
    if (failed) return failed;
    for (uint32_t i = 0; i < kInstances; ++i) {
      instances.push_back(Step(i, bodies_[i % 2].address));
    }
  }
  auto geometry = Geometry(VK_GEOMETRY_TYPE_INSTANCES_KHR, 0);
  geometry.geometry.instances.sType =
      VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR;
  top_.type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR;
  if (VulkanFailure failed =
          top_.Add(device, geometry, static_cast<uint32_t>(instances.size()), instances.data(),
                   instances.size() * sizeof(VkAccelerationStructureInstanceKHR))) {
    return failed;
  }
  return top_.Make(device);
}

void SceneStructures::RecordBuild(VkCommandBuffer commands, VkPipelineStageFlags stage) const {
  for (const AccelerationStructure& body : bodies_) body.RecordBuild(commands);
  if (!bodies_.empty()) {
    WaitForBuilds(commands, VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR);
  }
  top_.RecordBuild(commands);
  WaitForBuilds(commands, stage);
}

}  // namespace driver
}  // namespace refract
