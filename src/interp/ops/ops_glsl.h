// SPDX-License-Identifier: Apache-2.0
// Handlers of those GLSL.std.450 instructions that do not go component by component. Inside this
// room only.
#pragma once

#include "interp/code.h"

namespace refract::inline interp {

/// words[list]: the number, then how many components each of a, b, c has.
void GlslVector(Machine& machine, const Op& op);
/// words[list]: the number; `count` components of a, or of the result.
void GlslPack(Machine& machine, const Op& op);
void GlslUnpack(Machine& machine, const Op& op);
/// `count` components of a; b: the rows of the whole part, of the exponent (of Scalar d).
void GlslModf(Machine& machine, const Op& op);
void GlslFrexp(Machine& machine, const Op& op);
/// b: the exponent, of Scalar d.
void GlslLdexp(Machine& machine, const Op& op);

}  // namespace refract::inline interp
