// SPDX-License-Identifier: Apache-2.0
// Reads what is needed to make a pipeline for an entry point: its stage, its colour targets, the
// size of its workgroups.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/run.h"
#include "driver/workgroups.h"
#include "input/pipeline/stages.h"

namespace refract {
inline namespace driver {

/// The most that a workgroup of a mesh shader outputs.
struct MeshOutputs {
  uint32_t vertices = 0;
  uint32_t primitives = 0;
  uint64_t vertex_components = 0;     ///< of each vertex, as 32-bit numbers
  uint64_t primitive_components = 0;  ///< of each primitive, without the numbers of its vertices
};

/// The stage of an entry point. For a pipeline of several shaders it describes the shader under
/// test with all others.
struct EntryPointInfo {
  spv::ExecutionModel model = spv::ExecutionModel::Fragment;  ///< of the shader under test
  /// The shaders before the fragment shader belong to the job, so `mesh` is drawn, or mesh tasks.
  bool linked = false;
  BoundMesh mesh;  ///< with only the attributes that the vertex shader reads
  /// The stages of the pipeline, in order. Empty: a fragment shader alone, or a compute shader.
  std::vector<spv::ExecutionModel> stages;
  /// What a geometry shader gets, or tessellation shaders; kTriangles is what `mesh` says.
  enum Primitive : uint8_t {
    kTriangles,
    kPoints,
    kLines,
    kLinesAdjacency,
    kTrianglesAdjacency,
    kPatches
  };
  Primitive primitive = kTriangles;
  uint32_t geometry_vertices = 0;     ///< the most that an invocation of a geometry shader emits
  uint32_t geometry_invocations = 0;  ///< of a geometry shader for each primitive
  uint64_t geometry_components = 0;   ///< of a vertex that a geometry shader emits
  uint32_t control_vertices = 0;      ///< of a patch that a tessellation control shader makes
  bool stores_early = false;          ///< a shader before the fragment shader stores to memory
  bool quads_early = false;           ///< a shader before the fragment shader has quad operations
  bool is_vertex() const { return model == spv::ExecutionModel::Vertex; }
  bool is_compute() const { return model == spv::ExecutionModel::GLCompute; }
  bool Has(spv::ExecutionModel stage) const {
    return std::find(stages.begin(), stages.end(), stage) != stages.end();
  }
  /// The workgroups of a stage; null if it has none.
  const Workgroups* WorkgroupsOf(spv::ExecutionModel stage) const;
  bool is_rays() const { return IsRay(model); }
  bool is_drawn() const { return IsDrawn(model); }

  /// One location with outputs that a fragment shader writes.
  struct Output {
    uint32_t location = 0;
    spv::ImageFormat format = spv::ImageFormat::Rgba8;
    uint32_t components = 0;  ///< a bit for each component that an output has
  };
  std::vector<Output> outputs;  ///< sorted by location

  std::vector<Workgroups> workgroups;  ///< of a compute shader, or of a task and a mesh shader
  MeshOutputs mesh_outputs;            ///< if there is a mesh shader
  uint32_t ray_depth = 1;              ///< how deep rays are traced (kHitRayDepth)
  uint64_t hit_attribute_bytes = 0;    ///< of the largest hit attribute, without padding
  bool subgroups = false;              ///< a module has a capability of subgroup operations
  bool quads = false;                  ///< it has quad operations
  bool image_atomics = false;          ///< it has OpImageTexelPointer
};

/// Reads the stage of job.entry and of its companion. The error (kUnavailable, without a file name)
/// is for a module that cannot be read, a missing entry point, a stage that cannot be run, or two
/// shaders that cannot be linked.
Result<EntryPointInfo> ReadEntryPointInfo(const Job& job);

}  // namespace driver
}  // namespace refract
