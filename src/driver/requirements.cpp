// SPDX-License-Identifier: Apache-2.0
#include "driver/requirements.h"

#include <algorithm>
#include <cstring>
#include <spirv/unified1/spirv.hpp11>

#include "base/text.h"
#include "driver/features.h"
#include "driver/limits.h"
#include "driver/pipeline.h"

namespace refract {
inline namespace driver {
namespace {

/// The Vulkan version that a SPIR-V version needs (Vulkan 1.3 specification, "Versions and
/// Formats").
uint32_t VulkanFor(uint32_t spirv_version) {
  if (spirv_version <= 0x10000) return VK_API_VERSION_1_0;
  if (spirv_version <= 0x10300) return VK_API_VERSION_1_1;
  if (spirv_version <= 0x10500) return VK_API_VERSION_1_2;
  return VK_API_VERSION_1_3;
}

/// The largest size of a subgroup. Sizes may vary from SPIR-V 1.6 on (Vulkan 1.3,
/// VkPipelineShaderStageCreateInfo).
uint32_t SubgroupSize(const Device& device, uint32_t spirv_version) {
  return spirv_version >= 0x10600 ? std::max(device.subgroup().subgroupSize, device.max_subgroup())
                                  : device.subgroup().subgroupSize;
}

/// Whether x of the workgroup size is a multiple of the subgroup size. Vulkan requires this of x,
/// not of the product (VUID-VkPipelineShaderStageCreateInfo-02758).
bool WholeSubgroups(const Device& device, uint32_t spirv_version, const Workgroups& groups) {
  const uint32_t size = SubgroupSize(device, spirv_version);
  return size != 0 && groups.local_size[0].has_value() && *groups.local_size[0] % size == 0;
}

/// The problem with a shader whose workgroups may not fill their last subgroup; empty if there is
/// none. Drivers behave differently for such subgroups.
std::string PartialSubgroups(const Device& device, const ModuleHeader& module,
                             const Workgroups& groups, const Job& job) {
  if (!groups.subgroups || job.partial_subgroups ||
      WholeSubgroups(device, module.version, groups)) {
    return {};
  }
  const uint32_t size = SubgroupSize(device, module.version);
  if (!groups.local_size[0].has_value()) {
    return format(
        "the module has subgroup operations, but the x size of its workgroup is unknown; it must "
        "be a multiple of the subgroup size {}",
        size);
  }
  return format(
      "the module has subgroup operations, but the x size {} of its workgroup is no multiple of "
      "the subgroup size {}",
      *groups.local_size[0], size);
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

std::string MissingRequirement(const Device& device, const ModuleHeader& module) {
  if (device.info().api_version < VulkanFor(module.version)) {
    return format("SPIR-V {}.{} needs Vulkan {}, but the device supports only Vulkan {}",
                  module.version >> 16 & 0xff, module.version >> 8 & 0xff,
                  ApiVersionText(VulkanFor(module.version)),
                  ApiVersionText(device.info().api_version));
  }
  for (const uint32_t capability : module.capabilities) {
    std::string missing =
        MissingForCapability(device.abilities(), static_cast<spv::Capability>(capability));
    if (!missing.empty()) return missing;
  }
  return {};
}

std::string MissingRequirement(const Device& device, const ModuleHeader& module,
                               const EntryPointInfo& stage, const Job& job) {
  if (stage.subgroups) {
    const VkShaderStageFlags at = StageFlags(stage);
    if ((device.subgroup().supportedStages & at) != at) {
      return "the device does not support subgroup operations in this stage";
    }
    for (const Workgroups& groups : stage.workgroups) {
      std::string problem = PartialSubgroups(device, module, groups, job);
      if (!problem.empty()) return problem;
    }
  }
  const VkPhysicalDeviceMeshShaderFeaturesEXT& mesh = device.abilities().features.mesh_shaders;
  if (stage.Has(spv::ExecutionModel::MeshEXT) && !mesh.meshShader) {
    return "the device does not support mesh shaders (meshShader)";
  }
  if (stage.Has(spv::ExecutionModel::TaskEXT) && !mesh.taskShader) {
    return "the device does not support task shaders (taskShader)";
  }
  const std::vector<BoundImage>& images = job.bindings.images;
  const bool has_scene = std::any_of(images.begin(), images.end(), [](const BoundImage& image) {
    return image.kind == BoundImage::kScene;
  });
  const Features& features = device.abilities().features;
  if (has_scene && !features.acceleration.accelerationStructure) {
    return "the device does not support acceleration structures (accelerationStructure)";
  }
  if (has_scene && !features.v12.bufferDeviceAddress) {
    return "the device does not support addresses of buffers (bufferDeviceAddress)";
  }
  if (stage.quads_early && !device.subgroup().quadOperationsInAllStages) {
    return "the device supports quad operations only in fragment and compute shaders "
           "(quadOperationsInAllStages)";
  }
  if (stage.stores_early && !device.features().vertexPipelineStoresAndAtomics) {
    return "the device does not support stores before the fragment shader "
           "(vertexPipelineStoresAndAtomics)";
  }
  const bool local_size_id =
      std::any_of(stage.workgroups.begin(), stage.workgroups.end(),
                  [](const Workgroups& groups) { return groups.local_size_id; });
  if (local_size_id && !device.features13().maintenance4) {
    return "the device does not support LocalSizeId (maintenance4)";
  }
  return MissingLimit(device, stage, job);
}

bool RequiresFullSubgroups(const Device& device, uint32_t spirv_version, const Workgroups* groups) {
  return groups != nullptr && groups->subgroups && device.features13().computeFullSubgroups &&
         WholeSubgroups(device, spirv_version, *groups);
}

}  // namespace driver
}  // namespace refract
