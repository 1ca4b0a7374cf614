// SPDX-License-Identifier: Apache-2.0
// The payloads of a pipeline that traces rays, and the shaders of it that Refract makes. Errors
// name `file`, the file under test.
#pragma once

#include <string>

#include "input/pipeline/made_shaders.h"

namespace refract {
inline namespace input {

/// A closest hit shader for the rays of `generation`, all of which must have payloads of one type.
/// Each float of the payload becomes the distance of the hit, each integer the custom index of the
/// instance. The type may be a scalar or a vector of 32 bits, or a struct of these.
MadeShader MakeClosestHit(const StageShader& generation, const std::string& file);

/// A closest hit or miss shader that does nothing.
MadeShader MakeIdle(spv::ExecutionModel model, const std::string& file);

/// What prevents the shaders from tracing rays together; empty if nothing does. `after` is a
/// closest hit or a miss shader: the type of its payload must be that of all rays, and it must not
/// trace rays itself. No shader may call callable shaders.
std::string RayProblem(const StageShader& generation, const StageShader& after);

}  // namespace input
}  // namespace refract
