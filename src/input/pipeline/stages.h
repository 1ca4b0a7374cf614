// SPDX-License-Identifier: Apache-2.0
// The stages of shaders that can be run. A pipeline is a compute shader; or a vertex and a fragment
// shader, with tessellation shaders or a geometry shader between them.
#pragma once

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

/// The stage is between the vertex and the fragment shader.
bool IsBetween(spv::ExecutionModel model);

/// All stages of the pipeline in which a shader of a graphics stage is tested, in order. Empty for
/// compute shaders.
std::vector<spv::ExecutionModel> PipelineOf(spv::ExecutionModel tested);

/// The stages that can be run, to continue "is not a ".
inline constexpr std::string_view kRunnableStages =
    "fragment, vertex, tessellation, geometry or compute shader";

/// Refuses (kUnavailable) an entry point of another stage. Errors name `file`.
Status CheckRunnable(const EntryPoint& entry, const std::string& file);

}  // namespace input
}  // namespace refract
