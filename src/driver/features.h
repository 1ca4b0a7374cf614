// SPDX-License-Identifier: Apache-2.0
// A table of the Vulkan features, extensions and versions that allow a module to use each SPIR-V
// capability. A device is created with exactly the features that the capabilities of the module
// under test need, the features that need no capability, and those that the harness itself uses.
// Drivers may compile differently when more features are enabled.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <variant>
#include <vector>

#include "driver/vulkan.h"

namespace refract {
inline namespace driver {

/// The features that a device has, or those to enable. Structures of Vulkan versions that the
/// device does not support, and of extensions that are not in `extensions`, are all false.
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
  VkPhysicalDeviceMeshShaderFeaturesEXT mesh_shaders{};
  VkPhysicalDeviceAccelerationStructureFeaturesKHR acceleration{};
  VkPhysicalDeviceRayQueryFeaturesKHR ray_query{};
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR ray_pipeline{};
  std::set<std::string> extensions;  ///< only extensions that the table names
};

/// Calls `visit` with each member of Features that holds the features of an extension, and the name
/// of the extension.
template <class Visit>
void ForEachOfExtensions(Visit visit) {
  visit(&Features::clock, VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
  visit(&Features::atomic_float, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  visit(&Features::atomic_float2, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME);
  visit(&Features::interlock, VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME);
  visit(&Features::image_int64, VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME);
  visit(&Features::workgroup_layout, VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME);
  visit(&Features::mesh_shaders, VK_EXT_MESH_SHADER_EXTENSION_NAME);
  visit(&Features::acceleration, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME);
  visit(&Features::ray_query, VK_KHR_RAY_QUERY_EXTENSION_NAME);
  visit(&Features::ray_pipeline, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME);
}

/// The properties of a device that the table needs.
struct DeviceAbilities {
  Features features;
  uint32_t api_version = 0;
  VkPhysicalDeviceSubgroupProperties subgroup{};
  VkPhysicalDeviceFloatControlsProperties float_controls{};
};

/// What a capability needs.
struct CapabilityRow {
  /// This version of Vulkan or a later one.
  struct Version {
    uint32_t api_version;
  };
  /// An extension without features, which only has to be enabled.
  struct Extension {};
  /// A feature of an extension.
  template <class Structure>
  struct OfExtension {
    const char* extension;
    Structure Features::*structure;
    VkBool32 Structure::*member;
  };
  /// An extension that needs a kind of pipeline that this harness does not make.
  struct UnsupportedPipeline {};
  using Needs = std::variant<
      Version, VkBool32 VkPhysicalDeviceFeatures::*, VkBool32 VkPhysicalDeviceVulkan11Features::*,
      VkBool32 VkPhysicalDeviceVulkan12Features::*, VkBool32 VkPhysicalDeviceVulkan13Features::*,
      VkSubgroupFeatureFlagBits, VkBool32 VkPhysicalDeviceFloatControlsProperties::*, Extension,
      OfExtension<VkPhysicalDeviceShaderClockFeaturesKHR>,
      OfExtension<VkPhysicalDeviceShaderAtomicFloatFeaturesEXT>,
      OfExtension<VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT>,
      OfExtension<VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT>,
      OfExtension<VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT>,
      OfExtension<VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR>,
      OfExtension<VkPhysicalDeviceMeshShaderFeaturesEXT>,
      OfExtension<VkPhysicalDeviceRayQueryFeaturesKHR>,
      OfExtension<VkPhysicalDeviceRayTracingPipelineFeaturesKHR>, UnsupportedPipeline>;

  spv::Capability capability;
  Needs needs;
  const char* name;  ///< name of the feature, property or extension: "shaderFloat64"
};

/// The extensions that WantedFeatures can enable.
std::set<std::string> KnownExtensions();

/// The table. If a capability has several rows, any one of them is enough.
std::span<const CapabilityRow> CapabilityRows();

/// Why a device cannot run a module with `capability`: a text that names the capability and what it
/// needs. Empty if the device can.
std::string MissingForCapability(const DeviceAbilities& abilities, spv::Capability capability);

/// The features to enable for modules with these capabilities: those that they need and those that
/// need no capability, as far as the device has them.
Features WantedFeatures(const DeviceAbilities& abilities,
                        const std::vector<uint32_t>& capabilities);

/// Whether both have the same features.
bool operator==(const Features& a, const Features& b);

}  // namespace driver
}  // namespace refract
