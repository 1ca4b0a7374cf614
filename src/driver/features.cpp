// SPDX-License-Identifier: Apache-2.0
// The table follows the Vulkan 1.3 specification, appendix "Vulkan Environment for SPIR-V", tables
// "List of SPIR-V Capabilities and corresponding Vulkan features, extensions, or core version".
#include "driver/features.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/text.h"
#include "driver/run.h"
#include "ir/grammar/grammar.h"

namespace refract {
inline namespace driver {
namespace {

using Row = CapabilityRow;
using C = spv::Capability;

constexpr Row::Version kAlways{VK_API_VERSION_1_0};

// The name of a feature is that of the structure member that holds it.
#define CORE(member) &VkPhysicalDeviceFeatures::member, #member
#define V11(member) &VkPhysicalDeviceVulkan11Features::member, #member
#define V12(member) &VkPhysicalDeviceVulkan12Features::member, #member
#define V13(member) &VkPhysicalDeviceVulkan13Features::member, #member
#define FLOATS(member) &VkPhysicalDeviceFloatControlsProperties::member, #member
#define SUBGROUP(bit) VK_SUBGROUP_FEATURE_##bit##_BIT, "VK_SUBGROUP_FEATURE_" #bit "_BIT"
#define EXTENSION(name) Row::Extension(), #name
#define OF(extension, structure, member)                                                   \
  Row::OfExtension<decltype(Features::structure)>{#extension, &Features::structure,        \
                                                  &decltype(Features::structure)::member}, \
      #member
#define BEYOND(name) Row::UnsupportedPipeline(), #name

constexpr Row kRows[] = {
    {C::Matrix, kAlways, "Vulkan 1.0"},
    {C::Shader, kAlways, "Vulkan 1.0"},
    {C::InputAttachment, kAlways, "Vulkan 1.0"},
    {C::Sampled1D, kAlways, "Vulkan 1.0"},
    {C::Image1D, kAlways, "Vulkan 1.0"},
    {C::SampledBuffer, kAlways, "Vulkan 1.0"},
    {C::ImageBuffer, kAlways, "Vulkan 1.0"},
    {C::ImageQuery, kAlways, "Vulkan 1.0"},
    {C::DerivativeControl, kAlways, "Vulkan 1.0"},
    {C::DeviceGroup, Row::Version{VK_API_VERSION_1_1}, "Vulkan 1.1"},

    {C::Geometry, CORE(geometryShader)},
    {C::GeometryPointSize, CORE(shaderTessellationAndGeometryPointSize)},
    {C::Tessellation, CORE(tessellationShader)},
    {C::TessellationPointSize, CORE(shaderTessellationAndGeometryPointSize)},
    {C::Float64, CORE(shaderFloat64)},
    {C::Int64, CORE(shaderInt64)},
    {C::Int16, CORE(shaderInt16)},
    {C::ImageGatherExtended, CORE(shaderImageGatherExtended)},
    {C::StorageImageExtendedFormats, CORE(shaderStorageImageExtendedFormats)},
    {C::StorageImageMultisample, CORE(shaderStorageImageMultisample)},
    {C::ImageMSArray, CORE(shaderStorageImageMultisample)},
    {C::StorageImageReadWithoutFormat, CORE(shaderStorageImageReadWithoutFormat)},
    {C::StorageImageWriteWithoutFormat, CORE(shaderStorageImageWriteWithoutFormat)},
    {C::UniformBufferArrayDynamicIndexing, CORE(shaderUniformBufferArrayDynamicIndexing)},
    {C::SampledImageArrayDynamicIndexing, CORE(shaderSampledImageArrayDynamicIndexing)},
    {C::StorageBufferArrayDynamicIndexing, CORE(shaderStorageBufferArrayDynamicIndexing)},
    {C::StorageImageArrayDynamicIndexing, CORE(shaderStorageImageArrayDynamicIndexing)},
    {C::ClipDistance, CORE(shaderClipDistance)},
    {C::CullDistance, CORE(shaderCullDistance)},
    {C::ImageCubeArray, CORE(imageCubeArray)},
    {C::SampledCubeArray, CORE(imageCubeArray)},
    {C::SampleRateShading, CORE(sampleRateShading)},
    {C::InterpolationFunction, CORE(sampleRateShading)},
    {C::SparseResidency, CORE(shaderResourceResidency)},
    {C::MinLod, CORE(shaderResourceMinLod)},
    {C::MultiViewport, CORE(multiViewport)},

    {C::StorageBuffer16BitAccess, V11(storageBuffer16BitAccess)},
    {C::UniformAndStorageBuffer16BitAccess, V11(uniformAndStorageBuffer16BitAccess)},
    {C::StoragePushConstant16, V11(storagePushConstant16)},
    {C::StorageInputOutput16, V11(storageInputOutput16)},
    {C::MultiView, V11(multiview)},
    {C::VariablePointersStorageBuffer, V11(variablePointersStorageBuffer)},
    {C::VariablePointers, V11(variablePointers)},
    {C::DrawParameters, V11(shaderDrawParameters)},

    {C::Float16, V12(shaderFloat16)},
    {C::Int8, V12(shaderInt8)},
    {C::Int64Atomics, V12(shaderBufferInt64Atomics)},
    {C::Int64Atomics, V12(shaderSharedInt64Atomics)},
    {C::StorageBuffer8BitAccess, V12(storageBuffer8BitAccess)},
    {C::UniformAndStorageBuffer8BitAccess, V12(uniformAndStorageBuffer8BitAccess)},
    {C::StoragePushConstant8, V12(storagePushConstant8)},
    {C::VulkanMemoryModel, V12(vulkanMemoryModel)},
    {C::VulkanMemoryModelDeviceScope, V12(vulkanMemoryModelDeviceScope)},
    {C::PhysicalStorageBufferAddresses, V12(bufferDeviceAddress)},
    {C::ShaderNonUniform, V12(descriptorIndexing)},
    {C::RuntimeDescriptorArray, V12(runtimeDescriptorArray)},
    {C::InputAttachmentArrayDynamicIndexing, V12(shaderInputAttachmentArrayDynamicIndexing)},
    {C::UniformTexelBufferArrayDynamicIndexing, V12(shaderUniformTexelBufferArrayDynamicIndexing)},
    {C::StorageTexelBufferArrayDynamicIndexing, V12(shaderStorageTexelBufferArrayDynamicIndexing)},
    {C::UniformBufferArrayNonUniformIndexing, V12(shaderUniformBufferArrayNonUniformIndexing)},
    {C::StorageBufferArrayNonUniformIndexing, V12(shaderStorageBufferArrayNonUniformIndexing)},
    {C::SampledImageArrayNonUniformIndexing, V12(shaderSampledImageArrayNonUniformIndexing)},
    {C::StorageImageArrayNonUniformIndexing, V12(shaderStorageImageArrayNonUniformIndexing)},
    {C::InputAttachmentArrayNonUniformIndexing, V12(shaderInputAttachmentArrayNonUniformIndexing)},
    {C::UniformTexelBufferArrayNonUniformIndexing,
     V12(shaderUniformTexelBufferArrayNonUniformIndexing)},
    {C::StorageTexelBufferArrayNonUniformIndexing,
     V12(shaderStorageTexelBufferArrayNonUniformIndexing)},
    {C::ShaderViewportIndex, V12(shaderOutputViewportIndex)},
    {C::ShaderLayer, V12(shaderOutputLayer)},

    {C::DemoteToHelperInvocation, V13(shaderDemoteToHelperInvocation)},
    {C::DotProduct, V13(shaderIntegerDotProduct)},
    {C::DotProductInputAll, V13(shaderIntegerDotProduct)},
    {C::DotProductInput4x8Bit, V13(shaderIntegerDotProduct)},
    {C::DotProductInput4x8BitPacked, V13(shaderIntegerDotProduct)},

    {C::GroupNonUniform, SUBGROUP(BASIC)},
    {C::GroupNonUniformVote, SUBGROUP(VOTE)},
    {C::GroupNonUniformArithmetic, SUBGROUP(ARITHMETIC)},
    {C::GroupNonUniformBallot, SUBGROUP(BALLOT)},
    {C::GroupNonUniformShuffle, SUBGROUP(SHUFFLE)},
    {C::GroupNonUniformShuffleRelative, SUBGROUP(SHUFFLE_RELATIVE)},
    {C::GroupNonUniformClustered, SUBGROUP(CLUSTERED)},
    {C::GroupNonUniformQuad, SUBGROUP(QUAD)},

    {C::DenormPreserve, FLOATS(shaderDenormPreserveFloat16)},
    {C::DenormPreserve, FLOATS(shaderDenormPreserveFloat32)},
    {C::DenormPreserve, FLOATS(shaderDenormPreserveFloat64)},
    {C::DenormFlushToZero, FLOATS(shaderDenormFlushToZeroFloat16)},
    {C::DenormFlushToZero, FLOATS(shaderDenormFlushToZeroFloat32)},
    {C::DenormFlushToZero, FLOATS(shaderDenormFlushToZeroFloat64)},
    {C::SignedZeroInfNanPreserve, FLOATS(shaderSignedZeroInfNanPreserveFloat16)},
    {C::SignedZeroInfNanPreserve, FLOATS(shaderSignedZeroInfNanPreserveFloat32)},
    {C::SignedZeroInfNanPreserve, FLOATS(shaderSignedZeroInfNanPreserveFloat64)},
    {C::RoundingModeRTE, FLOATS(shaderRoundingModeRTEFloat16)},
    {C::RoundingModeRTE, FLOATS(shaderRoundingModeRTEFloat32)},
    {C::RoundingModeRTE, FLOATS(shaderRoundingModeRTEFloat64)},
    {C::RoundingModeRTZ, FLOATS(shaderRoundingModeRTZFloat16)},
    {C::RoundingModeRTZ, FLOATS(shaderRoundingModeRTZFloat32)},
    {C::RoundingModeRTZ, FLOATS(shaderRoundingModeRTZFloat64)},

    {C::SubgroupBallotKHR, EXTENSION(VK_EXT_shader_subgroup_ballot)},
    {C::SubgroupVoteKHR, EXTENSION(VK_EXT_shader_subgroup_vote)},
    {C::StencilExportEXT, EXTENSION(VK_EXT_shader_stencil_export)},
    {C::ShaderViewportIndexLayerEXT, EXTENSION(VK_EXT_shader_viewport_index_layer)},
    {C::ShaderClockKHR, OF(VK_KHR_shader_clock, clock, shaderSubgroupClock)},
    {C::ShaderClockKHR, OF(VK_KHR_shader_clock, clock, shaderDeviceClock)},
    {C::FragmentShaderSampleInterlockEXT,
     OF(VK_EXT_fragment_shader_interlock, interlock, fragmentShaderSampleInterlock)},
    {C::FragmentShaderPixelInterlockEXT,
     OF(VK_EXT_fragment_shader_interlock, interlock, fragmentShaderPixelInterlock)},
    {C::AtomicFloat32AddEXT,
     OF(VK_EXT_shader_atomic_float, atomic_float, shaderBufferFloat32AtomicAdd)},
    {C::AtomicFloat32AddEXT,
     OF(VK_EXT_shader_atomic_float, atomic_float, shaderSharedFloat32AtomicAdd)},
    {C::AtomicFloat32AddEXT,
     OF(VK_EXT_shader_atomic_float, atomic_float, shaderImageFloat32AtomicAdd)},
    {C::AtomicFloat64AddEXT,
     OF(VK_EXT_shader_atomic_float, atomic_float, shaderBufferFloat64AtomicAdd)},
    {C::AtomicFloat64AddEXT,
     OF(VK_EXT_shader_atomic_float, atomic_float, shaderSharedFloat64AtomicAdd)},
    {C::AtomicFloat16AddEXT,
     OF(VK_EXT_shader_atomic_float2, atomic_float2, shaderBufferFloat16AtomicAdd)},
    {C::AtomicFloat16AddEXT,
     OF(VK_EXT_shader_atomic_float2, atomic_float2, shaderSharedFloat16AtomicAdd)},
    {C::AtomicFloat32MinMaxEXT,
     OF(VK_EXT_shader_atomic_float2, atomic_float2, shaderBufferFloat32AtomicMinMax)},
    {C::AtomicFloat32MinMaxEXT,
     OF(VK_EXT_shader_atomic_float2, atomic_float2, shaderSharedFloat32AtomicMinMax)},
    {C::AtomicFloat32MinMaxEXT,
     OF(VK_EXT_shader_atomic_float2, atomic_float2, shaderImageFloat32AtomicMinMax)},
    {C::Int64ImageEXT, OF(VK_EXT_shader_image_atomic_int64, image_int64, shaderImageInt64Atomics)},
    {C::WorkgroupMemoryExplicitLayoutKHR,
     OF(VK_KHR_workgroup_memory_explicit_layout, workgroup_layout, workgroupMemoryExplicitLayout)},
    {C::WorkgroupMemoryExplicitLayout8BitAccessKHR,
     OF(VK_KHR_workgroup_memory_explicit_layout, workgroup_layout,
        workgroupMemoryExplicitLayout8BitAccess)},
    {C::WorkgroupMemoryExplicitLayout16BitAccessKHR,
     OF(VK_KHR_workgroup_memory_explicit_layout, workgroup_layout,
        workgroupMemoryExplicitLayout16BitAccess)},

    // Only a pipeline with a task shader needs the second feature (requirements.cpp).
    {C::MeshShadingEXT, OF(VK_EXT_mesh_shader, mesh_shaders, meshShader)},
    {C::MeshShadingEXT, OF(VK_EXT_mesh_shader, mesh_shaders, taskShader)},

    {C::RayQueryKHR, OF(VK_KHR_ray_query, ray_query, rayQuery)},
    {C::RayTracingKHR, OF(VK_KHR_ray_tracing_pipeline, ray_pipeline, rayTracingPipeline)},

    {C::FragmentShadingRateKHR, BEYOND(VK_KHR_fragment_shading_rate)},
    {C::FragmentFullyCoveredEXT, BEYOND(VK_EXT_conservative_rasterization)},
    {C::FragmentDensityEXT, BEYOND(VK_EXT_fragment_density_map)},
    {C::TransformFeedback, BEYOND(VK_EXT_transform_feedback)},
    {C::GeometryStreams, BEYOND(VK_EXT_transform_feedback)},
};

// Features that modules may use without a capability, and those that the pipelines of this harness
// use.
constexpr VkBool32 VkPhysicalDeviceFeatures::*kAlwaysCore[] = {
    &VkPhysicalDeviceFeatures::fragmentStoresAndAtomics,
    &VkPhysicalDeviceFeatures::vertexPipelineStoresAndAtomics,
    &VkPhysicalDeviceFeatures::independentBlend,
};
constexpr VkBool32 VkPhysicalDeviceVulkan12Features::*kAlways12[] = {
    &VkPhysicalDeviceVulkan12Features::samplerMirrorClampToEdge,
    &VkPhysicalDeviceVulkan12Features::samplerFilterMinmax,
    &VkPhysicalDeviceVulkan12Features::scalarBlockLayout,
    &VkPhysicalDeviceVulkan12Features::uniformBufferStandardLayout,
    &VkPhysicalDeviceVulkan12Features::shaderSubgroupExtendedTypes,
    &VkPhysicalDeviceVulkan12Features::subgroupBroadcastDynamicId,
};
constexpr VkBool32 VkPhysicalDeviceVulkan13Features::*kAlways13[] = {
    &VkPhysicalDeviceVulkan13Features::maintenance4,
    &VkPhysicalDeviceVulkan13Features::subgroupSizeControl,
    &VkPhysicalDeviceVulkan13Features::computeFullSubgroups,
    &VkPhysicalDeviceVulkan13Features::shaderTerminateInvocation,
    &VkPhysicalDeviceVulkan13Features::shaderZeroInitializeWorkgroupMemory,
};

struct Has {
  const DeviceAbilities& device;
  const char* name;  // of the row

  bool operator()(Row::Version version) const { return device.api_version >= version.api_version; }
  bool operator()(VkBool32 VkPhysicalDeviceFeatures::*member) const {
    return device.features.core.*member;
  }
  bool operator()(VkBool32 VkPhysicalDeviceVulkan11Features::*member) const {
    return device.features.v11.*member;
  }
  bool operator()(VkBool32 VkPhysicalDeviceVulkan12Features::*member) const {
    return device.features.v12.*member;
  }
  bool operator()(VkBool32 VkPhysicalDeviceVulkan13Features::*member) const {
    return device.features.v13.*member;
  }
  bool operator()(VkSubgroupFeatureFlagBits bit) const {
    return (device.subgroup.supportedOperations & bit) != 0;
  }
  bool operator()(VkBool32 VkPhysicalDeviceFloatControlsProperties::*member) const {
    return device.float_controls.*member;
  }
  bool operator()(Row::Extension) const { return device.features.extensions.contains(name); }
  template <class Structure>
  bool operator()(const Row::OfExtension<Structure>& feature) const {
    return device.features.extensions.contains(feature.extension) &&
           device.features.*feature.structure.*feature.member;
  }
  bool operator()(Row::UnsupportedPipeline) const { return false; }
};

/// Enables what one row needs, as far as the device has it.
struct Take {
  const Features& from;
  const char* name;  // of the row
  Features* to;

  void operator()(VkBool32 VkPhysicalDeviceFeatures::*member) const {
    to->core.*member = from.core.*member;
  }
  void operator()(VkBool32 VkPhysicalDeviceVulkan11Features::*member) const {
    to->v11.*member = from.v11.*member;
  }
  void operator()(VkBool32 VkPhysicalDeviceVulkan12Features::*member) const {
    to->v12.*member = from.v12.*member;
  }
  void operator()(VkBool32 VkPhysicalDeviceVulkan13Features::*member) const {
    to->v13.*member = from.v13.*member;
  }
  void operator()(Row::Extension) const {
    if (from.extensions.contains(name)) to->extensions.insert(name);
  }
  template <class Structure>
  void operator()(const Row::OfExtension<Structure>& feature) const {
    if (!from.extensions.contains(feature.extension)) return;
    to->extensions.insert(feature.extension);
    to->*feature.structure.*feature.member = from.*feature.structure.*feature.member;
    // The second extension requires the first (see its "Extension and Version Dependencies").
    if (std::is_same_v<Structure, VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT>) {
      to->extensions.insert(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
    }
  }
  template <class Property>
  void operator()(Property) const {}  // a property cannot be enabled
};

/// The declared capabilities, and those that they declare implicitly (SPIR-V 3.31 "Capability":
/// "Implicitly Declares").
std::vector<spv::Capability> WithImplied(const std::vector<uint32_t>& declared) {
  const EnumGrammar& grammar = *FindEnum("Capability");
  std::vector<spv::Capability> all;
  const auto add = [&](spv::Capability capability) {
    if (std::find(all.begin(), all.end(), capability) == all.end()) all.push_back(capability);
  };
  for (const uint32_t capability : declared) add(static_cast<spv::Capability>(capability));
  for (size_t i = 0; i < all.size(); ++i) {  // the list grows in the loop
    const Enumerant* known = FindEnumerant(grammar, static_cast<uint32_t>(all[i]));
    if (known == nullptr) continue;
    for (const spv::Capability implied : known->capabilities) add(implied);
  }
  return all;
}

/// The requirement of a row as a text.
std::string WordsOf(const Row& row) {
  if (std::holds_alternative<Row::Version>(row.needs)) return row.name;
  if (std::holds_alternative<Row::Extension>(row.needs)) return format("extension {}", row.name);
  if (std::holds_alternative<Row::UnsupportedPipeline>(row.needs)) {
    return format("extension {}, which Refract does not enable", row.name);
  }
  const bool property =
      std::holds_alternative<VkSubgroupFeatureFlagBits>(row.needs) ||
      std::holds_alternative<VkBool32 VkPhysicalDeviceFloatControlsProperties::*>(row.needs);
  return format("{} {}", property ? "property" : "feature", row.name);
}

// VK_KHR_acceleration_structure requires this extension, which has no features.
constexpr const char* kDeferredOperations = VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME;

// Adds what the harness needs to make acceleration structures.
void AddAccelerationStructures(const Features& from, Features* wanted) {
  for (const char* name : {VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME, kDeferredOperations}) {
    if (from.extensions.contains(name)) wanted->extensions.insert(name);
  }
  wanted->acceleration.accelerationStructure = from.acceleration.accelerationStructure;
  wanted->v12.bufferDeviceAddress = from.v12.bufferDeviceAddress;
}

// Compares two structures from their first to their last feature. Between these members there are
// only features, and after the last there may be padding.
template <class T>
bool SameFeatures(const T& a, const T& b, VkBool32 T::*first, VkBool32 T::*last) {
  const auto size =
      reinterpret_cast<const char*>(&(a.*last) + 1) - reinterpret_cast<const char*>(&(a.*first));
  return std::memcmp(&(a.*first), &(b.*first), static_cast<size_t>(size)) == 0;
}

}  // namespace

std::span<const CapabilityRow> CapabilityRows() {
  return kRows;
}

std::string MissingForCapability(const DeviceAbilities& abilities, spv::Capability capability) {
  std::string wanted;
  for (const Row& row : kRows) {
    if (row.capability != capability) continue;
    if (std::visit(Has{abilities, row.name}, row.needs)) return {};
    wanted += (wanted.empty() ? "" : " or ") + WordsOf(row);
  }
  const std::string name = EnumText(*FindEnum("Capability"), static_cast<uint32_t>(capability));
  if (wanted.empty()) {
    return format("Refract knows no Vulkan feature for capability {}", name);
  }
  return format("the device lacks what capability {} needs: {}", name, wanted);
}

Features WantedFeatures(const DeviceAbilities& abilities,
                        const std::vector<uint32_t>& capabilities) {
  const Features& from = abilities.features;
  Features wanted;
  for (const auto member : kAlwaysCore) wanted.core.*member = from.core.*member;
  for (const auto member : kAlways12) wanted.v12.*member = from.v12.*member;
  for (const auto member : kAlways13) wanted.v13.*member = from.v13.*member;
  for (const spv::Capability capability : WithImplied(capabilities)) {
    for (const Row& row : kRows) {
      if (row.capability == capability) std::visit(Take{from, row.name, &wanted}, row.needs);
    }
    // This feature of the memory model has no capability of its own.
    if (capability == C::VulkanMemoryModel) {
      wanted.v12.vulkanMemoryModelAvailabilityVisibilityChains =
          from.v12.vulkanMemoryModelAvailabilityVisibilityChains;
    }
    if (capability == C::RayQueryKHR || capability == C::RayTracingKHR) {
      AddAccelerationStructures(from, &wanted);
    }
  }
  return wanted;
}

bool operator==(const Features& a, const Features& b) {
  const auto same = [&](auto structure, auto first, auto last) {
    return SameFeatures(a.*structure, b.*structure, first, last);
  };
  using F = Features;
  using Core = VkPhysicalDeviceFeatures;
  using V11 = VkPhysicalDeviceVulkan11Features;
  using V12 = VkPhysicalDeviceVulkan12Features;
  using V13 = VkPhysicalDeviceVulkan13Features;
  using Clock = VkPhysicalDeviceShaderClockFeaturesKHR;
  using AtomicFloat = VkPhysicalDeviceShaderAtomicFloatFeaturesEXT;
  using AtomicFloat2 = VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT;
  using Interlock = VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT;
  using ImageInt64 = VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT;
  using Layout = VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR;
  using Mesh = VkPhysicalDeviceMeshShaderFeaturesEXT;
  using Acceleration = VkPhysicalDeviceAccelerationStructureFeaturesKHR;
  using RayQuery = VkPhysicalDeviceRayQueryFeaturesKHR;
  using RayPipeline = VkPhysicalDeviceRayTracingPipelineFeaturesKHR;
  return a.extensions == b.extensions &&
         same(&F::core, &Core::robustBufferAccess, &Core::inheritedQueries) &&
         same(&F::v11, &V11::storageBuffer16BitAccess, &V11::shaderDrawParameters) &&
         same(&F::v12, &V12::samplerMirrorClampToEdge, &V12::subgroupBroadcastDynamicId) &&
         same(&F::v13, &V13::robustImageAccess, &V13::maintenance4) &&
         same(&F::clock, &Clock::shaderSubgroupClock, &Clock::shaderDeviceClock) &&
         same(&F::atomic_float, &AtomicFloat::shaderBufferFloat32Atomics,
              &AtomicFloat::sparseImageFloat32AtomicAdd) &&
         same(&F::atomic_float2, &AtomicFloat2::shaderBufferFloat16Atomics,
              &AtomicFloat2::sparseImageFloat32AtomicMinMax) &&
         same(&F::interlock, &Interlock::fragmentShaderSampleInterlock,
              &Interlock::fragmentShaderShadingRateInterlock) &&
         same(&F::image_int64, &ImageInt64::shaderImageInt64Atomics,
              &ImageInt64::sparseImageInt64Atomics) &&
         same(&F::workgroup_layout, &Layout::workgroupMemoryExplicitLayout,
              &Layout::workgroupMemoryExplicitLayout16BitAccess) &&
         same(&F::mesh_shaders, &Mesh::taskShader, &Mesh::meshShaderQueries) &&
         same(&F::acceleration, &Acceleration::accelerationStructure,
              &Acceleration::descriptorBindingAccelerationStructureUpdateAfterBind) &&
         same(&F::ray_query, &RayQuery::rayQuery, &RayQuery::rayQuery) &&
         same(&F::ray_pipeline, &RayPipeline::rayTracingPipeline,
              &RayPipeline::rayTraversalPrimitiveCulling);
}

std::set<std::string> KnownExtensions() {
  std::set<std::string> names;
  for (const Row& row : kRows) {
    if (std::holds_alternative<Row::Extension>(row.needs)) names.insert(row.name);
  }
  ForEachOfExtensions([&](auto, const char* name) { names.insert(name); });
  names.insert(kDeferredOperations);
  return names;
}

}  // namespace driver
}  // namespace refract
