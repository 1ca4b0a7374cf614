// SPDX-License-Identifier: Apache-2.0
// Bindings and locations for what a GLSL source gives none: OpenGL's sources leave them to the
// linker, Vulkan's modules have to have them. Done in glslang's tree, since in its modules a
// binding that was not given is 0, and not by its own mapping, so that the rule is one that can be
// said.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace glslang {
class TIntermediate;
}

namespace refract::inline glsl {

/// Samplers, images and blocks without a binding get the lowest one that is free in their set (set
/// 0 if they have none): first the block of plain uniforms, which has `gathered_binding` in set 0,
/// then the others in the order of their declarations. Inputs and outputs without a location get,
/// in that order, the lowest ones that are free. What is given is kept. `tree` is linked. A plain
/// uniform with a sampler or an image inside is refused: Vulkan has them in no block, and glslang
/// makes a module of it that is wrong. Errors are "NAME:LINE: ...".
Status AssignPlaces(const std::string& name, uint32_t gathered_binding,
                    glslang::TIntermediate* tree);

}  // namespace refract::inline glsl
