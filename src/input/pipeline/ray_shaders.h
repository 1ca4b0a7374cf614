// SPDX-License-Identifier: Apache-2.0
// The payloads of a pipeline that traces rays, and the shaders of it that Refract makes. Errors
// name `file`, the file under test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input/pipeline/made_shaders.h"

namespace refract {
inline namespace input {

/// The descriptor set of the shaders that MakeGeneration and MakeRecordingHit make. All devices
/// have four sets.
constexpr uint32_t kMadeSet = 3;

/// A ray generation shader for the other shaders of a pipeline. It traces a ray in the scene at
/// binding 0 of kMadeSet, or, if `calls`, calls the callable shader. It stores the payload or the
/// data, which has the type that the first shader with one gives it, in the buffer at binding 1
/// (docs/inputs.md, "Ray tracing").
MadeShader MakeGeneration(const std::vector<StageShader>& others, bool calls,
                          const std::string& file);

/// The closest hit shader for it: it stores distance, custom index and kind of the hit in the
/// buffer.
MadeShader MakeRecordingHit(const std::string& file);

/// A closest hit shader for the rays of `generation`, all of which must have payloads of one type.
/// Each float of the payload becomes the distance of the hit, each integer the custom index of the
/// instance. The type may be a scalar or a vector of 32 bits, or a struct of these.
MadeShader MakeClosestHit(const StageShader& generation, const std::string& file);

/// A closest hit, miss or callable shader that does nothing.
MadeShader MakeIdle(spv::ExecutionModel model, const std::string& file);

/// Whether the shader calls callable shaders.
bool CallsCallable(const StageShader& shader);
/// The depth to which rays are traced if a closest hit or a miss shader traces rays: the rays of
/// the ray generation shader, and theirs.
constexpr uint32_t kHitRayDepth = 2;
/// Whether the shader traces rays.
bool TracesRays(const StageShader& shader);

/// What prevents the shaders of a pipeline from tracing rays together; empty if nothing does. All
/// payloads must have one type, and all data for the callable shader; a hit attribute that
/// triangles have, too, must be a vec2, and an intersection shader must write it if
/// another shader reads it; and callable shaders must not call callable shaders.
std::string RayProblem(const std::vector<StageShader>& shaders);

}  // namespace input
}  // namespace refract
