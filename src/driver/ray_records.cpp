// SPDX-License-Identifier: Apache-2.0
#include "driver/ray_records.h"

#include <cstring>

#include "driver/acceleration.h"

namespace refract {
inline namespace driver {
namespace {

// Vulkan, "Required Limits": shaderGroupHandleSize is 32, shaderGroupHandleAlignment at most 32,
// and shaderGroupBaseAlignment at most 64.
constexpr VkDeviceSize kRecord = 32;
constexpr VkDeviceSize kBase = 64;
constexpr uint32_t kMissRecords = 16;
constexpr uint32_t kCallableRecords = 16;

// Where each part of the table begins.
constexpr VkDeviceSize kMisses = kBase;
constexpr VkDeviceSize kHits = kMisses + kMissRecords * kRecord;
constexpr VkDeviceSize kCallables = kHits + 2 * kSheetRecords * kRecord;
constexpr VkDeviceSize kSize = kCallables + kCallableRecords * kRecord;
static_assert(kHits % kBase == 0 && kCallables % kBase == 0);

}  // namespace

VulkanFailure RayRecords::Make(const Device& device, VkPipeline pipeline, bool has_callable) {
  has_callable_ = has_callable;
  const uint32_t groups = has_callable ? kRayGroups : kCallableGroup;
  char handles[kRayGroups * kRecord];
  const VkResult got = vkGetRayTracingShaderGroupHandlesKHR(device.handle(), pipeline, 0, groups,
                                                            groups * kRecord, handles);
  if (got != VK_SUCCESS) return {"vkGetRayTracingShaderGroupHandlesKHR", got};
  if (VulkanFailure failed = table_.Make(device, kSize + kBase,
                                         VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR |
                                             VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT)) {
    return failed;
  }
  const VkDeviceAddress address = table_.Address(device);
  begin_ = (address + kBase - 1) / kBase * kBase;
  char* table = static_cast<char*>(table_.mapped) + (begin_ - address);
  const auto write = [&](VkDeviceSize at, RayGroup group, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      std::memcpy(table + at + i * kRecord, handles + group * kRecord, kRecord);
    }
  };
  write(0, kGenerationGroup, 1);
  write(kMisses, kMissGroup, kMissRecords);
  write(kHits, kSheetGroup, kSheetRecords);
  write(kHits + kSheetRecords * kRecord, kBoxGroup, kSheetRecords);
  if (has_callable) write(kCallables, kCallableGroup, kCallableRecords);
  return {};
}

void RayRecords::RecordTrace(VkCommandBuffer commands, const uint32_t (&size)[3]) const {
  const VkStridedDeviceAddressRegionKHR generation{begin_, kRecord, kRecord};
  const VkStridedDeviceAddressRegionKHR misses{begin_ + kMisses, kRecord, kMissRecords * kRecord};
  const VkStridedDeviceAddressRegionKHR hits{begin_ + kHits, kRecord, 2 * kSheetRecords * kRecord};
  VkStridedDeviceAddressRegionKHR callables{};
  if (has_callable_) callables = {begin_ + kCallables, kRecord, kCallableRecords * kRecord};
  vkCmdTraceRaysKHR(commands, &generation, &misses, &hits, &callables, size[0], size[1], size[2]);
}

}  // namespace driver
}  // namespace refract
