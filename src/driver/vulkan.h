// SPDX-License-Identifier: Apache-2.0
// Declares Vulkan for worker processes. volk fills the function pointers from the loader, which it
// opens at run time, so the executable also starts on machines without Vulkan.
#pragma once

#include <volk.h>  // defines VK_NO_PROTOTYPES

#include <utility>

namespace refract {
inline namespace driver {

/// A Vulkan call that failed.
struct VulkanFailure {
  const char* call = nullptr;
  VkResult code = VK_SUCCESS;

  explicit operator bool() const { return call != nullptr; }
};

/// A Vulkan structure with its type set and all other members zero.
template <class T>
T Structure(VkStructureType type) {
  T structure{};
  structure.sType = type;
  return structure;
}

/// A Vulkan object of a device, destroyed together with this object.
template <class Handle>
class Owned {
 public:
  using Destroy = void(VKAPI_PTR*)(VkDevice, Handle, const VkAllocationCallbacks*);

  Owned() = default;
  Owned(VkDevice device, Destroy destroy) : device_(device), destroy_(destroy) {}
  ~Owned() { Reset(); }
  Owned(Owned&& other) noexcept
      : device_(other.device_),
        destroy_(other.destroy_),
        handle_(std::exchange(other.handle_, VK_NULL_HANDLE)) {}
  Owned& operator=(Owned&& other) noexcept {
    Reset();
    device_ = other.device_;
    destroy_ = other.destroy_;
    handle_ = std::exchange(other.handle_, VK_NULL_HANDLE);
    return *this;
  }

  Handle get() const { return handle_; }
  /// Where a vkCreate call writes the handle.
  Handle* out() { return &handle_; }

 private:
  void Reset() {
    if (handle_ != VK_NULL_HANDLE) destroy_(device_, handle_, nullptr);
    handle_ = VK_NULL_HANDLE;
  }

  VkDevice device_ = VK_NULL_HANDLE;
  Destroy destroy_ = nullptr;
  Handle handle_ = VK_NULL_HANDLE;
};

}  // namespace driver
}  // namespace refract
