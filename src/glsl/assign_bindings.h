// SPDX-License-Identifier: Apache-2.0
// Gives bindings and locations to variables of a GLSL source that have none. OpenGL leaves this to
// the linker, but Vulkan modules must have them. It is done in glslang's syntax tree, because in
// the resulting module a missing binding looks like binding 0. glslang's own mapping is not used,
// so that the rule is simple to state.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace glslang {
class TIntermediate;
}

namespace refract {
inline namespace glsl {

/// Gives bindings and locations in a linked `tree`; those that the source gives stay as they are. A
/// sampler, image or block without a binding gets the lowest one that is free in its set (set 0 by
/// default): first the block of plain uniforms, which glslang put at `plain_uniforms_binding` of
/// set 0, then the others in the order of their declarations. Inputs and outputs without a location
/// get the lowest free ones in the order of their declarations. A plain uniform that contains a
/// sampler or an image is an error: Vulkan does not allow it in a block, and glslang makes an
/// invalid module of it. Errors have the form "NAME:LINE: ...".
Status AssignBindingsAndLocations(const std::string& name, uint32_t plain_uniforms_binding,
                                  glslang::TIntermediate* tree);

}  // namespace glsl
}  // namespace refract
