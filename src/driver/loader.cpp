// SPDX-License-Identifier: Apache-2.0
#include "driver/loader.h"

#include <dlfcn.h>

#include "driver/device.h"
#include "driver/run.h"
#include "driver/vulkan.h"

namespace refract {
inline namespace driver {

VulkanLoader FindVulkanLoader() {
  VulkanLoader loader;
  if (volkInitialize() != VK_SUCCESS) return loader;
  Dl_info info{};
  // NOLINTNEXTLINE(bugprone-casting-through-void): dladdr takes addresses of functions as void*.
  const bool found = ::dladdr(reinterpret_cast<void*>(vkGetInstanceProcAddr), &info) != 0;
  loader.file = found && info.dli_fname != nullptr ? info.dli_fname : "libvulkan.so.1";
  loader.version = ApiVersionText(volkGetInstanceVersion());
  loader.has_validation_layer = HasValidationLayer();
  return loader;
}

}  // namespace driver
}  // namespace refract
