// SPDX-License-Identifier: Apache-2.0
// Which Vulkan features each SPIR-V capability needs, and that nothing else is enabled.
#include "driver/features.h"

#include <gtest/gtest.h>

#include <set>

#include "ir/grammar/grammar.h"

namespace refract {
namespace {

/// A device that supports everything.
DeviceAbilities Everything() {
  DeviceAbilities all;
  all.api_version = VK_API_VERSION_1_3;
  const auto set = [](auto& structure, size_t header) {
    auto* flags = reinterpret_cast<VkBool32*>(reinterpret_cast<char*>(&structure) + header);
    const size_t count = (sizeof structure - header) / sizeof(VkBool32);
    for (size_t i = 0; i < count; ++i) flags[i] = VK_TRUE;
  };
  set(all.features.core, 0);
  set(all.features.v11, 16);
  set(all.features.v12, 16);
  set(all.features.v13, 16);
  all.subgroup.supportedOperations = 0xff;
  set(all.float_controls, 16);
  all.features.extensions = KnownExtensions();
  ForEachOfExtensions([&](auto structure, const char* extension) {
    set(all.features.*structure, 16);
    EXPECT_TRUE(all.features.extensions.contains(extension));
  });
  return all;
}

std::vector<uint32_t> Numbers(std::initializer_list<spv::Capability> capabilities) {
  std::vector<uint32_t> numbers;
  for (const spv::Capability each : capabilities) numbers.push_back(static_cast<uint32_t>(each));
  return numbers;
}

TEST(Features, EachCapabilityIsSupportedOrNamedAsMissing) {
  const DeviceAbilities all = Everything(), none;
  std::set<spv::Capability> seen;
  for (const CapabilityRow& row : CapabilityRows()) {
    seen.insert(row.capability);
    const bool beyond = std::holds_alternative<CapabilityRow::UnsupportedPipeline>(row.needs);
    const std::string missing = MissingForCapability(all, row.capability);
    EXPECT_EQ(missing.empty(), !beyond) << row.name;
    const std::string without = MissingForCapability(none, row.capability);
    const auto name = EnumText(*FindEnum("Capability"), static_cast<uint32_t>(row.capability));
    EXPECT_NE(without.find(name + " needs: "), std::string::npos) << without;
    EXPECT_NE(without.find(row.name), std::string::npos) << without;
  }
  EXPECT_GT(seen.size(), 90u);
  EXPECT_EQ(MissingForCapability(none, spv::Capability::Float64),
            "the device lacks what capability Float64 needs: feature shaderFloat64");
  EXPECT_EQ(MissingForCapability(none, spv::Capability::Int64Atomics),
            "the device lacks what capability Int64Atomics needs: feature "
            "shaderBufferInt64Atomics or feature shaderSharedInt64Atomics");
  EXPECT_EQ(MissingForCapability(none, spv::Capability::SubgroupVoteKHR),
            "the device lacks what capability SubgroupVoteKHR needs: extension "
            "VK_EXT_shader_subgroup_vote");
  EXPECT_EQ(MissingForCapability(none, spv::Capability::RayQueryKHR),
            "the device lacks what capability RayQueryKHR needs: feature rayQuery");
  EXPECT_EQ(MissingForCapability(all, spv::Capability::FragmentShadingRateKHR),
            "the device lacks what capability FragmentShadingRateKHR needs: extension "
            "VK_KHR_fragment_shading_rate, which Refract does not enable");
  EXPECT_EQ(MissingForCapability(all, spv::Capability::Kernel),
            "Refract knows no Vulkan feature for capability Kernel");
}

TEST(Features, RequestsExactlyWhatIsNeeded) {
  const DeviceAbilities all = Everything();
  const Features plain = WantedFeatures(all, Numbers({spv::Capability::Shader}));
  EXPECT_FALSE(plain.core.shaderFloat64 || plain.core.geometryShader || plain.v12.shaderFloat16);
  EXPECT_FALSE(plain.core.robustBufferAccess || plain.v13.robustImageAccess);
  EXPECT_TRUE(plain.core.fragmentStoresAndAtomics && plain.v13.maintenance4);
  EXPECT_TRUE(plain == WantedFeatures(all, {}));

  Features wanted = WantedFeatures(all, Numbers({spv::Capability::Float64}));
  EXPECT_TRUE(wanted.core.shaderFloat64);
  EXPECT_FALSE(wanted == plain);
  wanted.core.shaderFloat64 = VK_FALSE;
  EXPECT_TRUE(wanted == plain);

  wanted = WantedFeatures(all, Numbers({spv::Capability::DemoteToHelperInvocation}));
  EXPECT_TRUE(wanted.v13.shaderDemoteToHelperInvocation);
  EXPECT_FALSE(wanted == plain);
  // UniformAndStorageBuffer16BitAccess declares StorageBuffer16BitAccess, too.
  wanted = WantedFeatures(all, Numbers({spv::Capability::UniformAndStorageBuffer16BitAccess}));
  EXPECT_TRUE(wanted.v11.uniformAndStorageBuffer16BitAccess);
  EXPECT_TRUE(wanted.v11.storageBuffer16BitAccess);
  // Extensions, with the features of them that are needed.
  EXPECT_TRUE(plain.extensions.empty());
  wanted = WantedFeatures(all, Numbers({spv::Capability::SubgroupBallotKHR}));
  EXPECT_EQ(wanted.extensions, std::set<std::string>{"VK_EXT_shader_subgroup_ballot"});
  wanted = WantedFeatures(all, Numbers({spv::Capability::AtomicFloat64AddEXT}));
  EXPECT_EQ(wanted.extensions, std::set<std::string>{"VK_EXT_shader_atomic_float"});
  EXPECT_TRUE(wanted.atomic_float.shaderBufferFloat64AtomicAdd);
  EXPECT_FALSE(wanted.atomic_float.shaderBufferFloat32AtomicAdd);
  EXPECT_FALSE(wanted == plain);
  wanted.atomic_float = {};
  EXPECT_FALSE(wanted == plain);
  wanted.extensions.clear();
  EXPECT_TRUE(wanted == plain);
  wanted = WantedFeatures(all, Numbers({spv::Capability::AtomicFloat16AddEXT}));
  EXPECT_EQ(wanted.extensions.size(), 2u) << "it extends VK_EXT_shader_atomic_float";
  // A pipeline with a mesh shader may have a task shader, too.
  wanted = WantedFeatures(all, Numbers({spv::Capability::MeshShadingEXT}));
  EXPECT_EQ(wanted.extensions, std::set<std::string>{"VK_EXT_mesh_shader"});
  EXPECT_TRUE(wanted.mesh_shaders.meshShader && wanted.mesh_shaders.taskShader);
  EXPECT_FALSE(wanted.mesh_shaders.multiviewMeshShader || wanted.mesh_shaders.meshShaderQueries);
  wanted.mesh_shaders = {};
  wanted.extensions.clear();
  EXPECT_TRUE(wanted == plain);
  // Acceleration structures need more than the feature of the capability.
  wanted = WantedFeatures(all, Numbers({spv::Capability::RayQueryKHR}));
  EXPECT_EQ(wanted.extensions,
            (std::set<std::string>{"VK_KHR_ray_query", "VK_KHR_acceleration_structure",
                                   "VK_KHR_deferred_host_operations"}));
  EXPECT_TRUE(wanted.ray_query.rayQuery && wanted.acceleration.accelerationStructure);
  EXPECT_FALSE(wanted.acceleration.accelerationStructureHostCommands);
  EXPECT_TRUE(wanted.v12.bufferDeviceAddress);
  Features other = wanted;
  other.acceleration = {};
  EXPECT_FALSE(other == wanted);
  other = wanted;
  other.ray_query = {};
  EXPECT_FALSE(other == wanted);
  wanted = WantedFeatures(all, Numbers({spv::Capability::RayTracingKHR}));
  EXPECT_TRUE(wanted.extensions.contains("VK_KHR_ray_tracing_pipeline"));
  EXPECT_TRUE(wanted.extensions.contains("VK_KHR_acceleration_structure"));
  EXPECT_TRUE(wanted.ray_pipeline.rayTracingPipeline && wanted.v12.bufferDeviceAddress);
  EXPECT_TRUE(wanted.acceleration.accelerationStructure);
  other = wanted;
  other.ray_pipeline = {};
  EXPECT_FALSE(other == wanted);
  // Nothing that the device does not support.
  const DeviceAbilities none;
  EXPECT_TRUE(WantedFeatures(none, Numbers({spv::Capability::Float64})) == Features());
}

}  // namespace
}  // namespace refract
