// SPDX-License-Identifier: Apache-2.0
// Which feature, extension or version of Vulkan lets a module use which capability of SPIR-V: a
// table. A device is asked for exactly what the capabilities of the module under test need, beside
// what needs no capability, and what this harness itself uses: drivers may compile otherwise for
// what they are told that a program uses.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <variant>
#include <vector>

#include "driver/vulkan.h"

namespace refract::inline driver {

/// The features of a device, or those that are wanted of one. All false beyond its version, and of
/// extensions that are not among `extensions`.
struct Features {
  VkPhysicalDeviceFeatures core{};
  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceVulkan13Features v13{};
  VkPhysicalDeviceShaderClockFeaturesKHR clock{};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float{};
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2{};
  VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT interlock{};
  VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT image_int64{};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR workgroup_layout{};
  std::set<std::string> extensions;  ///< of those that the table names
};

/// Has `visit` see the member of Features of every extension that has some, and its name.
template <class Visit>
void ForEachOfExtensions(Visit visit) {
  visit(&Features::clock, VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
  visit(&Features::atomic_float, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  visit(&Features::atomic_float2, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME);
  visit(&Features::interlock, VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME);
  visit(&Features::image_int64, VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME);
  visit(&Features::workgroup_layout, VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME);
}

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
  /// An extension without features: it is switched on.
  struct Extension {};
  /// A feature of an extension.
  template <class Structure>
  struct OfExtension {
    const char* extension;
    Structure Features::*structure;
    VkBool32 Structure::*member;
  };
  /// An extension that takes more than switching on: this harness has no such pipelines.
  struct BeyondUs {};
  using Needs = std::variant<
      Version, VkBool32 VkPhysicalDeviceFeatures::*, VkBool32 VkPhysicalDeviceVulkan11Features::*,
      VkBool32 VkPhysicalDeviceVulkan12Features::*, VkBool32 VkPhysicalDeviceVulkan13Features::*,
      VkSubgroupFeatureFlagBits, VkBool32 VkPhysicalDeviceFloatControlsProperties::*, Extension,
      OfExtension<VkPhysicalDeviceShaderClockFeaturesKHR>,
      OfExtension<VkPhysicalDeviceShaderAtomicFloatFeaturesEXT>,
      OfExtension<VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT>,
      OfExtension<VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT>,
      OfExtension<VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT>,
      OfExtension<VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR>, BeyondUs>;

  spv::Capability capability;
  Needs needs;
  const char* name;  ///< of the feature, property or extension: "shaderFloat64"
};

/// The extensions that the table may switch on.
std::set<std::string> KnownExtensions();

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

}  // namespace refract::inline driver
