// SPDX-License-Identifier: Apache-2.0
// What an AmberScript has to ask of a device before its shaders may be handed over: Amber switches
// on nothing by itself.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "ir/module.h"

namespace refract::inline folder {

struct AmberRequirements {
  std::set<std::string> features;    ///< DEVICE_FEATURE
  std::set<std::string> extensions;  ///< DEVICE_EXTENSION
  std::set<std::string> properties;  ///< DEVICE_PROPERTY
};

/// Adds what the capabilities, extensions and float controls of `module` need. An error names what
/// Amber knows no word for; `file` is what it calls the module.
Status AddRequirements(const Module& module, const std::string& file, AmberRequirements* needs);

/// The Vulkan version that takes modules of this SPIR-V version, for `amber -v`: "1.1".
std::string VulkanVersionFor(uint32_t spirv_version);

}  // namespace refract::inline folder
