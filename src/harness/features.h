// SPDX-License-Identifier: Apache-2.0
// Which feature, extension or version of Vulkan lets a module use which capability of SPIR-V: a
// table. A device is asked for exactly what the capabilities of the module under test need, beside
// what needs no capability, and what this harness itself uses: drivers may compile otherwise for
// what they are told that a program uses.
#pragma once

#include <cstdint>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <variant>
#include <vector>

#include "harness/vulkan.h"

namespace refract {

/// The features of a device, or those that are wanted of one. All false beyond its version.
struct Features {
  VkPhysicalDeviceFeatures core{};
  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceVulkan13Features v13{};
};

/// What a device has, as far as the table asks.
struct DeviceAbilities {
  Features features;
  uint32_t api_version = 0;
  VkPhysicalDeviceSubgroupProperties subgroup{};
  VkPhysicalDeviceFloatControlsProperties float_controls{};
};

/// What a capability needs.
struct CapabilityRow {
  /// Any version of Vulkan from this one on.
  struct Version {
    uint32_t api_version;
  };
  /// An extension that this harness does not switch on.
  struct Extension {};
  using Needs = std::variant<
      Version, VkBool32 VkPhysicalDeviceFeatures::*, VkBool32 VkPhysicalDeviceVulkan11Features::*,
      VkBool32 VkPhysicalDeviceVulkan12Features::*, VkBool32 VkPhysicalDeviceVulkan13Features::*,
      VkSubgroupFeatureFlagBits, VkBool32 VkPhysicalDeviceFloatControlsProperties::*, Extension>;

  spv::Capability capability;
  Needs needs;
  const char* name;  ///< of the feature, property or extension: "shaderFloat64"
};

/// The table. Of several rows of one capability one is enough.
std::span<const CapabilityRow> CapabilityRows();

/// Why a device of these abilities cannot run a module with `capability`, in words that name it and
/// what it needs; empty if it can.
std::string MissingFor(const DeviceAbilities& abilities, spv::Capability capability);

/// What a device is asked for where it is to run modules with these capabilities: of what it has,
/// exactly what they need, and what needs no capability.
Features WantedFeatures(const DeviceAbilities& abilities,
                        const std::vector<uint32_t>& capabilities);

/// Whether both have the same features.
bool operator==(const Features& a, const Features& b);

}  // namespace refract
