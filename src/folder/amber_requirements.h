// SPDX-License-Identifier: Apache-2.0
// The device features, extensions and properties that an AmberScript must request. Amber enables
// nothing by itself.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "ir/module.h"

namespace refract {
inline namespace folder {

/// The requirements by command of AmberScript.
struct AmberRequirements {
  std::set<std::string> features;    ///< DEVICE_FEATURE
  std::set<std::string> extensions;  ///< DEVICE_EXTENSION
  std::set<std::string> properties;  ///< DEVICE_PROPERTY
};

/// Adds what the capabilities, extensions and float controls of `module` need. An error names what
/// AmberScript cannot request; `file` is the name of the module in it.
Status AddRequirements(const Module& module, const std::string& file, AmberRequirements* needs);

/// The first Vulkan version that accepts modules of this SPIR-V version, for `amber -v`: "1.1".
std::string VulkanVersionFor(uint32_t spirv_version);

}  // namespace folder
}  // namespace refract
