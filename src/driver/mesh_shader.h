// SPDX-License-Identifier: Apache-2.0
// What the task and mesh shaders of a pipeline need of a device (Vulkan 1.3, "Mesh Shading" and
// VkPhysicalDeviceMeshShaderPropertiesEXT).
#pragma once

#include <string>

#include "base/result.h"
#include "driver/stage.h"
#include "driver/vulkan.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace driver {

/// Reads the largest outputs of a mesh shader. The error is kUnavailable, without a file name, for
/// a mesh shader without an output mode that Vulkan requires.
Result<MeshOutputs> ReadMeshOutputs(const Module& module, const EntryPoint& entry);

/// The limit that the task and mesh shaders of a pipeline, or the number of workgroups that are
/// drawn, exceed; empty if they exceed no limit.
std::string MissingMeshLimit(const VkPhysicalDeviceMeshShaderPropertiesEXT& limits,
                             const EntryPointInfo& stage, const Bindings& bindings);

}  // namespace driver
}  // namespace refract
