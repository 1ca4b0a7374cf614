// SPDX-License-Identifier: Apache-2.0
// Capability to feature: Vulkan 1.3 specification, "SPIR-V Environment", table "List of SPIR-V
// Capabilities and corresponding Vulkan features, extensions, or core version".
#include "harness/requirements.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <utility>

#include "base/text.h"
#include "harness/limits.h"

namespace refract {
namespace {

bool Subgroup(const Device& device, VkSubgroupFeatureFlagBits operation) {
  return (device.subgroup().supportedOperations & operation) != 0;
}

/// Whether the core features settle it; nothing if they do not know the capability.
std::optional<bool> Core(const Device& device, spv::Capability capability) {
  using C = spv::Capability;
  const VkPhysicalDeviceFeatures& f = device.features();
  switch (capability) {
    case C::Matrix:
    case C::Shader:
    case C::InputAttachment:
    case C::Sampled1D:
    case C::Image1D:
    case C::SampledBuffer:
    case C::ImageBuffer:
    case C::ImageQuery:
    case C::DerivativeControl:
      return true;
    case C::StorageImageExtendedFormats:
      return f.shaderStorageImageExtendedFormats;
    case C::DeviceGroup:
      return device.info().api_version >= VK_API_VERSION_1_1;
    case C::Geometry:
    case C::GeometryPointSize:
      return f.geometryShader;
    case C::Tessellation:
    case C::TessellationPointSize:
      return f.tessellationShader;
    case C::Float64:
      return f.shaderFloat64;
    case C::Int64:
      return f.shaderInt64;
    case C::Int16:
      return f.shaderInt16;
    case C::ImageGatherExtended:
      return f.shaderImageGatherExtended;
    case C::StorageImageMultisample:
      return f.shaderStorageImageMultisample;
    case C::UniformBufferArrayDynamicIndexing:
      return f.shaderUniformBufferArrayDynamicIndexing;
    case C::SampledImageArrayDynamicIndexing:
      return f.shaderSampledImageArrayDynamicIndexing;
    case C::StorageBufferArrayDynamicIndexing:
      return f.shaderStorageBufferArrayDynamicIndexing;
    case C::StorageImageArrayDynamicIndexing:
      return f.shaderStorageImageArrayDynamicIndexing;
    case C::ClipDistance:
      return f.shaderClipDistance;
    case C::CullDistance:
      return f.shaderCullDistance;
    case C::ImageCubeArray:
    case C::SampledCubeArray:
      return f.imageCubeArray;
    case C::SampleRateShading:
    case C::InterpolationFunction:
      return f.sampleRateShading;
    case C::SparseResidency:
      return f.shaderResourceResidency;
    case C::MinLod:
      return f.shaderResourceMinLod;
    case C::StorageImageReadWithoutFormat:
      return f.shaderStorageImageReadWithoutFormat;
    case C::StorageImageWriteWithoutFormat:
      return f.shaderStorageImageWriteWithoutFormat;
    case C::MultiViewport:
      return f.multiViewport;
    default:
      return std::nullopt;
  }
}

/// The same for what came with Vulkan 1.1 to 1.3.
std::optional<bool> Later(const Device& device, spv::Capability capability) {
  using C = spv::Capability;
  const VkPhysicalDeviceVulkan11Features& f11 = device.features11();
  const VkPhysicalDeviceVulkan12Features& f12 = device.features12();
  const VkPhysicalDeviceVulkan13Features& f13 = device.features13();
  switch (capability) {
    case C::StorageBuffer16BitAccess:
      return f11.storageBuffer16BitAccess;
    case C::UniformAndStorageBuffer16BitAccess:
      return f11.uniformAndStorageBuffer16BitAccess;
    case C::StoragePushConstant16:
      return f11.storagePushConstant16;
    case C::StorageInputOutput16:
      return f11.storageInputOutput16;
    case C::MultiView:
      return f11.multiview;
    case C::VariablePointersStorageBuffer:
      return f11.variablePointersStorageBuffer;
    case C::VariablePointers:
      return f11.variablePointers;
    case C::DrawParameters:
      return f11.shaderDrawParameters;
    case C::Float16:
      return f12.shaderFloat16;
    case C::Int8:
      return f12.shaderInt8;
    case C::Int64Atomics:
      return f12.shaderBufferInt64Atomics;
    case C::StorageBuffer8BitAccess:
      return f12.storageBuffer8BitAccess;
    case C::UniformAndStorageBuffer8BitAccess:
      return f12.uniformAndStorageBuffer8BitAccess;
    case C::StoragePushConstant8:
      return f12.storagePushConstant8;
    case C::VulkanMemoryModel:
      return f12.vulkanMemoryModel;
    case C::VulkanMemoryModelDeviceScope:
      return f12.vulkanMemoryModelDeviceScope;
    case C::PhysicalStorageBufferAddresses:
      return f12.bufferDeviceAddress;
    case C::ShaderNonUniform:
      return f12.descriptorIndexing;
    case C::RuntimeDescriptorArray:
      return f12.runtimeDescriptorArray;
    case C::UniformBufferArrayNonUniformIndexing:
      return f12.shaderUniformBufferArrayNonUniformIndexing;
    case C::StorageBufferArrayNonUniformIndexing:
      return f12.shaderStorageBufferArrayNonUniformIndexing;
    case C::SampledImageArrayNonUniformIndexing:
      return f12.shaderSampledImageArrayNonUniformIndexing;
    case C::StorageImageArrayNonUniformIndexing:
      return f12.shaderStorageImageArrayNonUniformIndexing;
    case C::ShaderViewportIndex:
      return f12.shaderOutputViewportIndex;
    case C::ShaderLayer:
      return f12.shaderOutputLayer;
    case C::DemoteToHelperInvocation:
      return f13.shaderDemoteToHelperInvocation;
    case C::DotProduct:
    case C::DotProductInputAll:
    case C::DotProductInput4x8Bit:
    case C::DotProductInput4x8BitPacked:
      return f13.shaderIntegerDotProduct;
    default:
      return std::nullopt;
  }
}

/// And for what properties say instead of features.
std::optional<bool> ByProperty(const Device& device, spv::Capability capability) {
  using C = spv::Capability;
  const VkPhysicalDeviceFloatControlsProperties& p = device.float_controls();
  switch (capability) {
    case C::GroupNonUniform:
      return Subgroup(device, VK_SUBGROUP_FEATURE_BASIC_BIT);
    case C::GroupNonUniformVote:
      return Subgroup(device, VK_SUBGROUP_FEATURE_VOTE_BIT);
    case C::GroupNonUniformArithmetic:
      return Subgroup(device, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
    case C::GroupNonUniformBallot:
      return Subgroup(device, VK_SUBGROUP_FEATURE_BALLOT_BIT);
    case C::GroupNonUniformShuffle:
      return Subgroup(device, VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
    case C::GroupNonUniformShuffleRelative:
      return Subgroup(device, VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT);
    case C::GroupNonUniformClustered:
      return Subgroup(device, VK_SUBGROUP_FEATURE_CLUSTERED_BIT);
    case C::GroupNonUniformQuad:
      return Subgroup(device, VK_SUBGROUP_FEATURE_QUAD_BIT);
    case C::DenormPreserve:
      return p.shaderDenormPreserveFloat16 || p.shaderDenormPreserveFloat32 ||
             p.shaderDenormPreserveFloat64;
    case C::DenormFlushToZero:
      return p.shaderDenormFlushToZeroFloat16 || p.shaderDenormFlushToZeroFloat32 ||
             p.shaderDenormFlushToZeroFloat64;
    case C::SignedZeroInfNanPreserve:
      return p.shaderSignedZeroInfNanPreserveFloat16 || p.shaderSignedZeroInfNanPreserveFloat32 ||
             p.shaderSignedZeroInfNanPreserveFloat64;
    case C::RoundingModeRTE:
      return p.shaderRoundingModeRTEFloat16 || p.shaderRoundingModeRTEFloat32 ||
             p.shaderRoundingModeRTEFloat64;
    case C::RoundingModeRTZ:
      return p.shaderRoundingModeRTZFloat16 || p.shaderRoundingModeRTZFloat32 ||
             p.shaderRoundingModeRTZFloat64;
    default:
      return std::nullopt;
  }
}

bool Has(const Device& device, spv::Capability capability) {
  for (const auto question : {Core, Later, ByProperty}) {
    if (const std::optional<bool> answer = question(device, capability)) return *answer;
  }
  return false;  // one we do not switch on
}

/// Vulkan 1.3 specification, "Versions and Formats" of SPIR-V.
uint32_t VulkanFor(uint32_t spirv_version) {
  if (spirv_version <= 0x10000) return VK_API_VERSION_1_0;
  if (spirv_version <= 0x10300) return VK_API_VERSION_1_1;
  if (spirv_version <= 0x10500) return VK_API_VERSION_1_2;
  return VK_API_VERSION_1_3;
}

/// From SPIR-V 1.6 on the size of subgroups may vary (Vulkan 1.3, VkPipelineShaderStageCreateInfo).
uint32_t SubgroupSize(const Device& device, uint32_t spirv_version) {
  return spirv_version >= 0x10600 ? std::max(device.subgroup().subgroupSize, device.max_subgroup())
                                  : device.subgroup().subgroupSize;
}

/// Vulkan asks that x, not the product, be a multiple (VUID-VkPipelineShaderStageCreateInfo-02758).
bool WholeSubgroups(const Device& device, uint32_t spirv_version, const Stage& stage) {
  const uint32_t size = SubgroupSize(device, spirv_version);
  return size != 0 && stage.local_size[0].has_value() && *stage.local_size[0] % size == 0;
}

/// Drivers differ in what a subgroup that a workgroup does not fill is like.
std::string PartialSubgroups(const Device& device, const ModuleHeader& module, const Stage& stage,
                             const Job& job) {
  if (!stage.is_compute() || job.partial_subgroups ||
      WholeSubgroups(device, module.version, stage)) {
    return {};
  }
  const uint32_t size = SubgroupSize(device, module.version);
  if (!stage.local_size[0].has_value()) {
    return format(
        "subgroup operations, and a workgroup of which it cannot be told whether its x is "
        "a multiple of the subgroup size {}",
        size);
  }
  return format(
      "subgroup operations in a workgroup whose x is {}, no multiple of the subgroup size {}",
      *stage.local_size[0], size);
}

}  // namespace

bool ReadModuleHeader(const std::vector<uint32_t>& words, ModuleHeader* header) {
  if (words.size() < 5 || words[0] != spv::MagicNumber) return false;
  header->version = words[1];
  for (size_t at = 5; at < words.size();) {
    const size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at) return false;
    const spv::Op opcode = static_cast<spv::Op>(words[at] & 0xffff);
    if (opcode == spv::Op::OpCapability && length == 2) {
      header->capabilities.push_back(words[at + 1]);
    } else if (opcode == spv::Op::OpEntryPoint && length >= 4) {
      const char* name = reinterpret_cast<const char*>(&words[at + 3]);
      header->entries.push_back({words[at + 1], {name, ::strnlen(name, 4 * (length - 3))}});
    }
    at += length;
  }
  return true;
}

std::string Missing(const Device& device, const ModuleHeader& module) {
  if (device.info().api_version < VulkanFor(module.version)) {
    return format("SPIR-V {}.{} needs Vulkan {}, the device has {}", module.version >> 16 & 0xff,
                  module.version >> 8 & 0xff, ApiVersionText(VulkanFor(module.version)),
                  ApiVersionText(device.info().api_version));
  }
  for (const uint32_t capability : module.capabilities) {
    if (!Has(device, static_cast<spv::Capability>(capability))) {
      return format("the device lacks capability {}", capability);
    }
  }
  return {};
}

std::string Missing(const Device& device, const ModuleHeader& module, const Stage& stage,
                    const Job& job) {
  if (stage.subgroups) {
    const VkShaderStageFlagBits at =
        stage.is_compute() ? VK_SHADER_STAGE_COMPUTE_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
    if ((device.subgroup().supportedStages & at) == 0) {
      return "the device has no subgroup operations in this stage";
    }
    if (std::string problem = PartialSubgroups(device, module, stage, job); !problem.empty()) {
      return problem;
    }
  }
  if (stage.local_size_id && !device.features13().maintenance4) {
    return "the device takes no LocalSizeId (maintenance4)";
  }
  return MissingLimit(device, stage, job);
}

bool AsksForFullSubgroups(const Device& device, const Job& job, const Stage& stage) {
  return stage.is_compute() && stage.subgroups && device.features13().computeFullSubgroups &&
         WholeSubgroups(device, job.spirv[1], stage);
}

}  // namespace refract
