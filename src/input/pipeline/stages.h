// SPDX-License-Identifier: Apache-2.0
// The stages of shaders that can be run. A pipeline is a compute shader; or a vertex and a fragment
// shader, with tessellation shaders or a geometry shader between them; a mesh and a fragment
// shader, with a task shader before them; or a ray generation, a closest hit and a miss shader,
// with an intersection, an any-hit or a callable shader.
#pragma once

#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ir/call_graph.h"

namespace refract {
inline namespace input {

/// "vertex", "tessellation control" and so on; empty for a stage that cannot be run.
std::string_view StageName(spv::ExecutionModel model);

/// The ending of GLSL files of the stage, such as ".tesc"; empty for a stage that cannot be run.
std::string_view StageEnding(spv::ExecutionModel model);

bool IsTessellation(spv::ExecutionModel model);

/// A task or mesh shader (SPV_EXT_mesh_shader).
bool IsMeshStage(spv::ExecutionModel model);

/// The stage has workgroups: a compute, task or mesh shader.
bool HasWorkgroups(spv::ExecutionModel model);

/// Refract makes the shaders that no file gives of the pipeline in which a shader of the stage is
/// tested: tessellation, geometry, task and mesh shaders.
bool HasMadePipeline(spv::ExecutionModel model);

/// Whether the stage comes before the other one in the order of pipelines.
bool IsBefore(spv::ExecutionModel a, spv::ExecutionModel b);

/// A stage that a pipeline that traces rays may lack: an intersection, any-hit or callable shader.
bool IsOptionalRay(spv::ExecutionModel model);

/// A stage of a pipeline that traces rays.
bool IsRay(spv::ExecutionModel model);

/// A stage of a pipeline that draws.
bool IsDrawn(spv::ExecutionModel model);

/// All stages of the pipeline in which a shader is tested, in order. Empty for compute shaders. The
/// pipeline of a mesh shader may lack the task shader, and one that traces rays the stages of
/// IsOptionalRay.
std::vector<spv::ExecutionModel> PipelineOf(spv::ExecutionModel tested);

/// The stages of the companion that is found by the name of a shader of this stage, such as the
/// fragment shader for a vertex shader; the first that exists is used. Empty for a stage without a
/// companion.
std::vector<spv::ExecutionModel> PartnersOf(spv::ExecutionModel model);

/// The stage that the ending of a GLSL file names, such as ".tesc"; nothing for other endings.
std::optional<spv::ExecutionModel> StageOfEnding(std::string_view ending);

/// Whether the module has an entry point of the stage.
bool HasStage(const Module& module, spv::ExecutionModel wanted);

/// The stages that can be run, to continue "is not a ".
inline constexpr std::string_view kRunnableStages =
    "fragment, vertex, tessellation, geometry, mesh, task or compute shader, or a shader for rays";

/// Refuses (kUnavailable) an entry point of another stage. Errors name `file`.
Status CheckRunnable(const EntryPoint& entry, const std::string& file);

}  // namespace input
}  // namespace refract
