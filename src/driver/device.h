// SPDX-License-Identifier: Apache-2.0
// A worker's Vulkan instance and devices, kept for many jobs. A job runs on a device that has
// exactly the features that its module needs (driver/features.h). Never the robustness ones:
// modules under test are well defined without, and with them drivers compile other code than most
// programs see.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/features.h"
#include "driver/run.h"
#include "driver/vulkan.h"

namespace refract::inline driver {

class Device {
 public:
  /// Opens the first device of the only driver that the environment allows; unavailable if there is
  /// none. At most one may exist in a process: volk's function pointers are its.
  static Result<std::unique_ptr<Device>> Open(bool validate);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// From now on handle() and what belongs to it is a device with what modules with these
  /// capabilities need. Nothing may be left that was made of the one before.
  VulkanFailure Use(const std::vector<uint32_t>& capabilities);

  VkDevice handle() const { return logical_.front().device; }
  VkQueue queue() const { return logical_.front().queue; }
  VkCommandPool pool() const { return logical_.front().pool.get(); }
  VkCommandBuffer commands() const { return logical_.front().commands; }
  const DeviceInfo& info() const { return info_; }
  const VkPhysicalDeviceLimits& limits() const { return limits_; }
  const DeviceAbilities& abilities() const { return abilities_; }
  // What the hardware has, not what is switched on. All false where it is of an older version.
  const VkPhysicalDeviceFeatures& features() const { return abilities_.features.core; }
  const VkPhysicalDeviceVulkan11Features& features11() const { return abilities_.features.v11; }
  const VkPhysicalDeviceVulkan12Features& features12() const { return abilities_.features.v12; }
  const VkPhysicalDeviceVulkan13Features& features13() const { return abilities_.features.v13; }
  const VkPhysicalDeviceSubgroupProperties& subgroup() const { return abilities_.subgroup; }
  /// The largest subgroup where sizes vary; 0 before Vulkan 1.3.
  uint32_t max_subgroup() const { return max_subgroup_; }
  const VkPhysicalDeviceFloatControlsProperties& float_controls() const {
    return abilities_.float_controls;
  }

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
  /// A device with some features, and what is made of it once.
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
  std::vector<Logical> logical_;  // the one in use first, then by when they last were

  DeviceInfo info_;
  VkPhysicalDeviceLimits limits_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  DeviceAbilities abilities_;
  uint32_t max_subgroup_ = 0;

  std::mutex messages_mutex_;  // layers may call back from any thread
  std::vector<std::string> messages_;
};

}  // namespace refract::inline driver
