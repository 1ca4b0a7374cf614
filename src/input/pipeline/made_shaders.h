// SPDX-License-Identifier: Apache-2.0
// The shaders that Refract makes for the stages of a pipeline that no file gives. They pass what
// the stage before gives and the stage after wants. Errors name `file`, the file under test.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "input/companion.h"
#include "input/inputs.h"

namespace refract {
inline namespace input {

/// A module with one of its entry points.
struct StageShader {
  const Module& module;
  const EntryPoint& entry;
};

/// The patches that `refract inputs` writes for a tessellation shader: of as many vertices as the
/// control shader makes, or as the domain of the evaluation shader has corners.
TessellationInput DefaultTessellation(const Module& module, const EntryPoint& entry,
                                      const Companion* companion);

using MadeShader = Result<std::shared_ptr<const Companion>>;

/// A vertex shader for the tessellation control or geometry shader `next`. The attribute at
/// location 0, if it has floats, is the position. Each attribute is also the output at its
/// location.
MadeShader MakeVertex(const StageShader& next, const std::string& file);

/// A tessellation control shader that passes each vertex unchanged and sets the levels of `given`.
MadeShader MakeControl(const StageShader& evaluation, const TessellationInput& given,
                       const std::string& file);

/// A tessellation evaluation shader that interpolates between the first vertices of a patch: three
/// of triangles, else four, which are the corners in rows. Integers are those of the first vertex.
MadeShader MakeEvaluation(const StageShader& control, const TessellationInput& given,
                          const std::string& file);

/// A mesh shader that shows which workgroups a task shader without a payload starts: each draws a
/// cell of the frame, with its id as three integers at location 0.
MadeShader MakeMesh(const StageShader& task, const std::string& file);

/// A fragment shader that draws the outputs of the shader before it: each scalar or vector of 32
/// bits at a location from 0 to 3 goes unchanged to the colour target of that location. Without
/// such outputs it draws white.
MadeShader MakeFragment(const StageShader& before, const std::string& file);

}  // namespace input
}  // namespace refract
