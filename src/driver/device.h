// SPDX-License-Identifier: Apache-2.0
// The Vulkan instance and devices of a worker, kept for many jobs. A job runs on a device that has
// exactly the features that its module needs (driver/features.h). The robustness features are
// never enabled: modules under test are well defined without them, and with them drivers compile
// different code than for most programs.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/features.h"
#include "driver/run.h"
#include "driver/vulkan.h"

namespace refract {
inline namespace driver {

/// Whether the Vulkan loader knows VK_LAYER_KHRONOS_validation. Needs volkInitialize.
bool HasValidationLayer();

class Device {
 public:
  /// Opens the first device of the only driver that the environment allows. The error is
  /// kUnavailable if not found. A process can have only one Device, because the function
  /// pointers of volk belong to it.
  static Result<std::unique_ptr<Device>> Open(bool validate);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Switches to a device with the features that modules with these capabilities need. handle(),
  /// queue() and the like then belong to it. Destroy all objects of the previous device first.
  VulkanFailure Use(const std::vector<uint32_t>& capabilities);

  VkDevice handle() const { return logical_.front().device; }
  VkQueue queue() const { return logical_.front().queue; }
  VkCommandPool pool() const { return logical_.front().pool.get(); }
  VkCommandBuffer commands() const { return logical_.front().commands; }
  const DeviceInfo& info() const { return info_; }
  const VkPhysicalDeviceLimits& limits() const { return limits_; }
  /// All zero for a device without VK_EXT_mesh_shader.
  const VkPhysicalDeviceMeshShaderPropertiesEXT& mesh_limits() const { return mesh_limits_; }
  /// All zero for a device without VK_KHR_ray_tracing_pipeline.
  const VkPhysicalDeviceRayTracingPipelinePropertiesKHR& ray_limits() const { return ray_limits_; }
  const DeviceAbilities& abilities() const { return abilities_; }
  // What the hardware has, not what is enabled. All false for features of a newer Vulkan version.
  const VkPhysicalDeviceFeatures& features() const { return abilities_.features.core; }
  const VkPhysicalDeviceVulkan13Features& features13() const { return abilities_.features.v13; }
  const VkPhysicalDeviceSubgroupProperties& subgroup() const { return abilities_.subgroup; }
  /// The largest subgroup size if sizes can vary; 0 before Vulkan 1.3.
  uint32_t max_subgroup() const { return max_subgroup_; }
  const VkPhysicalDeviceFloatControlsProperties& float_controls() const {
    return abilities_.float_controls;
  }

  VkFormatFeatureFlags FormatFeatures(VkFormat format) const;  ///< with optimal tiling
  VkFormatFeatureFlags BufferFeatures(VkFormat format) const;
  /// Whether the device can make an image with these properties.
  bool CanMake(const VkImageCreateInfo& info) const;
  /// The index of a memory type in `allowed` that has all of `wanted`; -1 if not found.
  int MemoryType(uint32_t allowed, VkMemoryPropertyFlags wanted) const;
  /// The messages of the validation layer since the last call.
  std::vector<std::string> TakeMessages();
  /// Destroys everything. TakeMessages() then returns messages about objects that were not
  /// destroyed.
  void Close();

 private:
  Device() = default;
  Status CreateInstance(bool validate);
  Status ChooseDevice();
  void ReadProperties();
  void ReadFeatures();
  /// A device with a certain set of features, and the objects that are made once for it.
  struct Logical {
    Features features;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    Owned<VkCommandPool> pool;
    VkCommandBuffer commands = VK_NULL_HANDLE;

    ~Logical();
    Logical() = default;
    Logical(Logical&& other) noexcept;
    Logical& operator=(Logical&& other) noexcept;
  };
  VulkanFailure CreateDevice(Logical* logical);
  VulkanFailure CreateCommands(Logical* logical);
  static VKAPI_ATTR VkBool32 VKAPI_CALL OnMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                  VkDebugUtilsMessageTypeFlagsEXT,
                                                  const VkDebugUtilsMessengerCallbackDataEXT*,
                                                  void* self);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  uint32_t queue_family_ = 0;
  std::vector<Logical> logical_;  // most recently used first; the first is in use

  DeviceInfo info_;
  VkPhysicalDeviceLimits limits_{};
  VkPhysicalDeviceMeshShaderPropertiesEXT mesh_limits_{};
  VkPhysicalDeviceRayTracingPipelinePropertiesKHR ray_limits_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  DeviceAbilities abilities_;
  uint32_t max_subgroup_ = 0;

  std::mutex messages_mutex_;  // layers may call back from any thread
  std::vector<std::string> messages_;
};

}  // namespace driver
}  // namespace refract
