// SPDX-License-Identifier: Apache-2.0
// A worker's Vulkan instance and device, kept for many jobs. Every feature the device has is
// switched on, except the robustness ones: modules under test are well defined without, and with
// them drivers compile other code than most programs see.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "harness/run.h"
#include "harness/vulkan.h"

namespace refract {

class Device {
 public:
  /// Opens the first device of the only driver that the environment allows; unavailable if there is
  /// none. At most one may exist in a process: volk's function pointers are its.
  static Result<std::unique_ptr<Device>> Open(bool validate);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  VkDevice handle() const { return device_; }
  VkQueue queue() const { return queue_; }
  VkCommandPool pool() const { return pool_.get(); }
  VkCommandBuffer commands() const { return commands_; }
  const DeviceInfo& info() const { return info_; }
  const VkPhysicalDeviceLimits& limits() const { return limits_; }
  const VkPhysicalDeviceFeatures& features() const { return features_.features; }
  // All false where the device is of an older version.
  const VkPhysicalDeviceVulkan11Features& features11() const { return features11_; }
  const VkPhysicalDeviceVulkan12Features& features12() const { return features12_; }
  const VkPhysicalDeviceVulkan13Features& features13() const { return features13_; }
  const VkPhysicalDeviceSubgroupProperties& subgroup() const { return subgroup_; }
  /// The largest subgroup where sizes vary; 0 before Vulkan 1.3.
  uint32_t max_subgroup() const { return max_subgroup_; }
  const VkPhysicalDeviceFloatControlsProperties& float_controls() const { return float_controls_; }

  VkFormatFeatureFlags FormatFeatures(VkFormat format) const;  ///< with optimal tiling
  /// Whether an image like that can be made.
  bool CanMake(const VkImageCreateInfo& info) const;
  /// A memory type among `allowed` with all of `wanted`; -1 if there is none.
  int MemoryType(uint32_t allowed, VkMemoryPropertyFlags wanted) const;
  /// What the validation layer said since the last call.
  std::vector<std::string> TakeMessages();
  /// Destroys everything; what the layer then says (about what was forgotten) is kept.
  void Close();

 private:
  Device() = default;
  Status CreateInstance(bool validate);
  Status ChooseDevice();
  void ReadProperties();
  void ReadFeatures();
  Status CreateDevice();
  Status CreateCommands();
  static VKAPI_ATTR VkBool32 VKAPI_CALL OnMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                  VkDebugUtilsMessageTypeFlagsEXT,
                                                  const VkDebugUtilsMessengerCallbackDataEXT*,
                                                  void* self);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  uint32_t queue_family_ = 0;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  Owned<VkCommandPool> pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;

  DeviceInfo info_;
  VkPhysicalDeviceLimits limits_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  VkPhysicalDeviceFeatures2 features_{};
  VkPhysicalDeviceVulkan11Features features11_{};
  VkPhysicalDeviceVulkan12Features features12_{};
  VkPhysicalDeviceVulkan13Features features13_{};
  VkPhysicalDeviceSubgroupProperties subgroup_{};
  VkPhysicalDeviceFloatControlsProperties float_controls_{};
  uint32_t max_subgroup_ = 0;

  std::mutex messages_mutex_;  // layers may call back from any thread
  std::vector<std::string> messages_;
};

}  // namespace refract
