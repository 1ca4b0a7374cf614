// SPDX-License-Identifier: Apache-2.0
// Which feature each capability needs: Vulkan 1.3 specification, "SPIR-V Environment", tables "List
// of SPIR-V Capabilities" and "List of SPIR-V Extensions". The features have the names of
// AmberScript.
#include "folder/amber_requirements.h"

#include <utility>

#include "base/text.h"
#include "ir/call_graph.h"
#include "ir/grammar/grammar.h"

namespace refract {
inline namespace folder {
namespace {

struct CapabilityRow {
  spv::Capability capability;
  const char* feature;    // null: none is needed
  const char* extension;  // in addition to those of OpExtension; null: none
};

using C = spv::Capability;
constexpr CapabilityRow kCapabilities[] = {
    {C::Matrix, nullptr, nullptr},
    {C::Shader, nullptr, nullptr},
    {C::InputAttachment, nullptr, nullptr},
    {C::Sampled1D, nullptr, nullptr},
    {C::Image1D, nullptr, nullptr},
    {C::SampledBuffer, nullptr, nullptr},
    {C::ImageBuffer, nullptr, nullptr},
    {C::ImageQuery, nullptr, nullptr},
    {C::DerivativeControl, nullptr, nullptr},
    {C::Geometry, "geometryShader", nullptr},
    {C::Tessellation, "tessellationShader", nullptr},
    {C::Float64, "shaderFloat64", nullptr},
    {C::Int64, "shaderInt64", nullptr},
    {C::Int16, "shaderInt16", nullptr},
    {C::Float16, "Float16Int8Features.shaderFloat16", "VK_KHR_shader_float16_int8"},
    {C::Int8, "Float16Int8Features.shaderInt8", "VK_KHR_shader_float16_int8"},
    {C::ImageGatherExtended, "shaderImageGatherExtended", nullptr},
    {C::StorageImageExtendedFormats, "shaderStorageImageExtendedFormats", nullptr},
    {C::StorageImageMultisample, "shaderStorageImageMultisample", nullptr},
    {C::ImageMSArray, "shaderStorageImageMultisample", nullptr},
    {C::StorageImageReadWithoutFormat, "shaderStorageImageReadWithoutFormat", nullptr},
    {C::StorageImageWriteWithoutFormat, "shaderStorageImageWriteWithoutFormat", nullptr},
    {C::UniformBufferArrayDynamicIndexing, "shaderUniformBufferArrayDynamicIndexing", nullptr},
    {C::SampledImageArrayDynamicIndexing, "shaderSampledImageArrayDynamicIndexing", nullptr},
    {C::StorageBufferArrayDynamicIndexing, "shaderStorageBufferArrayDynamicIndexing", nullptr},
    {C::StorageImageArrayDynamicIndexing, "shaderStorageImageArrayDynamicIndexing", nullptr},
    {C::ClipDistance, "shaderClipDistance", nullptr},
    {C::CullDistance, "shaderCullDistance", nullptr},
    {C::ImageCubeArray, "imageCubeArray", nullptr},
    {C::SampledCubeArray, "imageCubeArray", nullptr},
    {C::SampleRateShading, "sampleRateShading", nullptr},
    {C::InterpolationFunction, "sampleRateShading", nullptr},
    {C::SparseResidency, "shaderResourceResidency", nullptr},
    {C::MinLod, "shaderResourceMinLod", nullptr},
    {C::MultiViewport, "multiViewport", nullptr},
    {C::StorageBuffer16BitAccess, "Storage16BitFeatures.storageBuffer16BitAccess",
     "VK_KHR_16bit_storage"},
    {C::UniformAndStorageBuffer16BitAccess,
     "Storage16BitFeatures.uniformAndStorageBuffer16BitAccess", "VK_KHR_16bit_storage"},
    {C::StoragePushConstant16, "Storage16BitFeatures.storagePushConstant16",
     "VK_KHR_16bit_storage"},
    {C::StorageInputOutput16, "Storage16BitFeatures.storageInputOutput16", "VK_KHR_16bit_storage"},
    {C::StorageBuffer8BitAccess, "Storage8BitFeatures.storageBuffer8BitAccess",
     "VK_KHR_8bit_storage"},
    {C::UniformAndStorageBuffer8BitAccess, "Storage8BitFeatures.uniformAndStorageBuffer8BitAccess",
     "VK_KHR_8bit_storage"},
    {C::StoragePushConstant8, "Storage8BitFeatures.storagePushConstant8", "VK_KHR_8bit_storage"},
    {C::VariablePointersStorageBuffer, "VariablePointerFeatures.variablePointersStorageBuffer",
     "VK_KHR_variable_pointers"},
    {C::VariablePointers, "VariablePointerFeatures.variablePointers", "VK_KHR_variable_pointers"},
    {C::GroupNonUniform, "SubgroupSupportedOperations.basic", nullptr},
    {C::GroupNonUniformVote, "SubgroupSupportedOperations.vote", nullptr},
    {C::GroupNonUniformArithmetic, "SubgroupSupportedOperations.arithmetic", nullptr},
    {C::GroupNonUniformBallot, "SubgroupSupportedOperations.ballot", nullptr},
    {C::GroupNonUniformShuffle, "SubgroupSupportedOperations.shuffle", nullptr},
    {C::GroupNonUniformShuffleRelative, "SubgroupSupportedOperations.shuffleRelative", nullptr},
    {C::GroupNonUniformClustered, "SubgroupSupportedOperations.clustered", nullptr},
    {C::GroupNonUniformQuad, "SubgroupSupportedOperations.quad", nullptr},
    // These need a property instead of a feature: see kFloatControls.
    {C::DenormPreserve, nullptr, "VK_KHR_shader_float_controls"},
    {C::DenormFlushToZero, nullptr, "VK_KHR_shader_float_controls"},
    {C::SignedZeroInfNanPreserve, nullptr, "VK_KHR_shader_float_controls"},
    {C::RoundingModeRTE, nullptr, "VK_KHR_shader_float_controls"},
    {C::RoundingModeRTZ, nullptr, "VK_KHR_shader_float_controls"},
};

constexpr std::pair<const char*, const char*> kExtensions[] = {
    {"SPV_KHR_storage_buffer_storage_class", "VK_KHR_storage_buffer_storage_class"},
    {"SPV_KHR_variable_pointers", "VK_KHR_variable_pointers"},
    {"SPV_KHR_16bit_storage", "VK_KHR_16bit_storage"},
    {"SPV_KHR_8bit_storage", "VK_KHR_8bit_storage"},
    {"SPV_KHR_float_controls", "VK_KHR_shader_float_controls"},
    {"SPV_KHR_terminate_invocation", "VK_KHR_shader_terminate_invocation"},
    {"SPV_KHR_non_semantic_info", "VK_KHR_shader_non_semantic_info"},
    {"SPV_GOOGLE_decorate_string", "VK_GOOGLE_decorate_string"},
    {"SPV_GOOGLE_hlsl_functionality1", "VK_GOOGLE_hlsl_functionality1"},
    {"SPV_GOOGLE_user_type", "VK_GOOGLE_user_type"},
    {"SPV_KHR_subgroup_uniform_control_flow", "VK_KHR_shader_subgroup_uniform_control_flow"},
};

constexpr std::pair<spv::ExecutionMode, const char*> kFloatControls[] = {
    {spv::ExecutionMode::DenormPreserve, "shaderDenormPreserveFloat"},
    {spv::ExecutionMode::DenormFlushToZero, "shaderDenormFlushToZeroFloat"},
    {spv::ExecutionMode::SignedZeroInfNanPreserve, "shaderSignedZeroInfNanPreserveFloat"},
    {spv::ExecutionMode::RoundingModeRTE, "shaderRoundingModeRTEFloat"},
    {spv::ExecutionMode::RoundingModeRTZ, "shaderRoundingModeRTZFloat"},
};

Status AddCapability(const std::string& file, uint32_t capability, AmberRequirements* needs) {
  for (const CapabilityRow& row : kCapabilities) {
    if (static_cast<uint32_t>(row.capability) != capability) continue;
    if (row.feature != nullptr) needs->features.insert(row.feature);
    if (row.extension != nullptr) needs->extensions.insert(row.extension);
    return {};
  }
  return Error{format("{}: capability {}: AmberScript has no device feature for it", file,
                      EnumText(*FindEnum("Capability"), capability))};
}

Status AddExtension(const std::string& file, const std::string& name, AmberRequirements* needs) {
  for (const auto& [spirv, vulkan] : kExtensions) {
    if (name != spirv) continue;
    needs->extensions.insert(vulkan);
    return {};
  }
  return Error{
      format("{}: OpExtension \"{}\": Refract knows no device extension for it", file, name)};
}

bool HasSubgroups(const AmberRequirements& needs) {
  for (const std::string& feature : needs.features) {
    if (feature.starts_with("SubgroupSupportedOperations.")) return true;
  }
  return false;
}

}  // namespace

Status AddRequirements(const Module& module, const std::string& file, AmberRequirements* needs) {
  Status status;
  ForEachInstruction(module, Module::SectionBlock(Section::kCapabilities), [&](Inst inst) {
    if (status && module.Opcode(inst) == spv::Op::OpCapability) {
      status = AddCapability(file, module.Word(inst, 0), needs);
    }
  });
  ForEachInstruction(module, Module::SectionBlock(Section::kExtensions), [&](Inst inst) {
    if (status && module.Opcode(inst) == spv::Op::OpExtension) {
      status = AddExtension(file, StringOperand(module, inst, 0), needs);
    }
  });
  if (!status) return status;
  ForEachInstruction(module, Module::SectionBlock(Section::kExecutionModes), [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpExecutionMode) return;
    for (const auto& [mode, property] : kFloatControls) {
      if (static_cast<uint32_t>(mode) != module.Word(inst, 1)) continue;
      needs->properties.insert(
          format("FloatControlsProperties.{}{}", property, module.Word(inst, 2)));
    }
  });
  if (HasSubgroups(*needs)) {
    for (const EntryPoint& entry : EntryPoints(module)) {
      needs->features.insert(entry.model == spv::ExecutionModel::GLCompute
                                 ? "SubgroupSupportedStages.compute"
                                 : "SubgroupSupportedStages.fragment");
    }
  }
  return {};
}

std::string VulkanVersionFor(uint32_t spirv_version) {
  // Vulkan 1.3 specification, "Versions and Formats" of SPIR-V.
  if (spirv_version <= 0x10000) return "1.0";
  if (spirv_version <= 0x10300) return "1.1";
  if (spirv_version <= 0x10500) return "1.2";
  return "1.3";
}

}  // namespace folder
}  // namespace refract
