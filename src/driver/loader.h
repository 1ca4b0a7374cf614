// SPDX-License-Identifier: Apache-2.0
// What the Vulkan loader of this machine is. Asking opens no driver.
#pragma once

#include <string>

namespace refract {
inline namespace driver {

struct VulkanLoader {
  std::string file;     ///< the path of its library; empty: it cannot be opened
  std::string version;  ///< "1.3.239"
  bool has_validation_layer = false;
};

VulkanLoader FindVulkanLoader();

}  // namespace driver
}  // namespace refract
