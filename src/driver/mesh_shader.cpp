// SPDX-License-Identifier: Apache-2.0
#include "driver/mesh_shader.h"

#include <algorithm>

#include "driver/over_limit.h"
#include "input/stage_interface.h"

namespace refract {
inline namespace driver {
namespace {

// The numbers of the vertices of primitives are not counted among the outputs.
bool IsIndices(const InterfaceSlot& slot) {
  return slot.built_in == spv::BuiltIn::PrimitivePointIndicesEXT ||
         slot.built_in == spv::BuiltIn::PrimitiveLineIndicesEXT ||
         slot.built_in == spv::BuiltIn::PrimitiveTriangleIndicesEXT;
}

uint64_t RoundUp(uint64_t number, uint64_t step) {
  return step == 0 ? number : (number + step - 1) / step * step;
}

std::string OverTask(const VkPhysicalDeviceMeshShaderPropertiesEXT& limits,
                     const Workgroups& task) {
  return FirstProblem(
      {OverWorkgroupSize(task.local_size, limits.maxTaskWorkGroupSize,
                         limits.maxTaskWorkGroupInvocations),
       Over("bytes of the payload", task.payload_bytes, limits.maxTaskPayloadSize),
       Over("bytes of workgroup memory of the task shader", task.shared_bytes,
            limits.maxTaskSharedMemorySize),
       Over("bytes of payload and workgroup memory of the task shader",
            task.payload_bytes + task.shared_bytes, limits.maxTaskPayloadAndSharedMemorySize)});
}

std::string OverMesh(const VkPhysicalDeviceMeshShaderPropertiesEXT& limits, const Workgroups& mesh,
                     const MeshOutputs& outputs) {
  const uint64_t bytes =
      4 * (RoundUp(outputs.vertices, limits.meshOutputPerVertexGranularity) *
               outputs.vertex_components +
           RoundUp(outputs.primitives, limits.meshOutputPerPrimitiveGranularity) *
               outputs.primitive_components);
  return FirstProblem(
      {OverWorkgroupSize(mesh.local_size, limits.maxMeshWorkGroupSize,
                         limits.maxMeshWorkGroupInvocations),
       Over("vertices of a mesh", outputs.vertices, limits.maxMeshOutputVertices),
       Over("primitives of a mesh", outputs.primitives, limits.maxMeshOutputPrimitives),
       Over("components of a vertex and a primitive of a mesh",
            outputs.vertex_components + outputs.primitive_components,
            limits.maxMeshOutputComponents),
       Over("bytes of all vertices and primitives of a mesh", bytes,
            limits.maxMeshOutputMemorySize),
       Over("bytes of workgroup memory of the mesh shader", mesh.shared_bytes,
            limits.maxMeshSharedMemorySize),
       Over("bytes of payload and workgroup memory of the mesh shader",
            mesh.payload_bytes + mesh.shared_bytes, limits.maxMeshPayloadAndSharedMemorySize),
       Over("bytes of payload and outputs of the mesh shader", mesh.payload_bytes + bytes,
            limits.maxMeshPayloadAndOutputMemorySize)});
}

}  // namespace

Result<MeshOutputs> ReadMeshOutputs(const Module& module, const EntryPoint& entry) {
  MeshOutputs outputs;
  ForEachMode(module, entry, [&](spv::ExecutionMode mode, uint32_t number) {
    if (mode == spv::ExecutionMode::OutputVertices) outputs.vertices = number;
    if (mode == spv::ExecutionMode::OutputPrimitivesEXT) outputs.primitives = number;
  });
  if (outputs.vertices == 0 || outputs.primitives == 0) {
    return Error{"the mesh shader has no OutputVertices or OutputPrimitivesEXT, or 0 of them",
                 ErrorKind::kUnavailable};
  }
  const auto slots = InterfaceOf(module, entry, spv::StorageClass::Output);
  if (!slots) return slots.error();
  for (const InterfaceSlot& slot : *slots) {
    if (IsIndices(slot)) continue;
    uint64_t& components =
        slot.primitive ? outputs.primitive_components : outputs.vertex_components;
    components += uint64_t{slot.components} * std::max(1u, slot.width / 32);
  }
  return outputs;
}

std::string MissingMeshLimit(const VkPhysicalDeviceMeshShaderPropertiesEXT& limits,
                             const EntryPointInfo& stage, const Bindings& bindings) {
  const Workgroups* task = stage.WorkgroupsOf(spv::ExecutionModel::TaskEXT);
  const Workgroups* mesh = stage.WorkgroupsOf(spv::ExecutionModel::MeshEXT);
  uint64_t groups = 1;  // does not overflow, because each dimension is checked first
  for (const uint32_t side : bindings.groups) groups *= side;
  if (task != nullptr) {
    std::string problem = FirstProblem(
        {OverTask(limits, *task), OverWorkgroupCount(bindings.groups, limits.maxTaskWorkGroupCount),
         Over("workgroups", groups, limits.maxTaskWorkGroupTotalCount)});
    if (!problem.empty()) return problem;
  }
  if (mesh == nullptr) return {};
  if (std::string problem = OverMesh(limits, *mesh, stage.mesh_outputs); !problem.empty()) {
    return problem;
  }
  if (task != nullptr) return {};  // the task shader decides how many there are
  return FirstProblem({OverWorkgroupCount(bindings.groups, limits.maxMeshWorkGroupCount),
                       Over("workgroups", groups, limits.maxMeshWorkGroupTotalCount)});
}

}  // namespace driver
}  // namespace refract
