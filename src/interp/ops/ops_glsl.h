// SPDX-License-Identifier: Apache-2.0
// Handlers of the GLSL.std.450 instructions that do not work on each component separately. Private
// to this library.
#pragma once

#include "interp/code.h"

namespace refract {
inline namespace interp {

/// words[list]: the instruction number, then the numbers of components of a, b and c.
void GlslVector(Machine& machine, const Op& op);
/// words[list]: the instruction number; `count` components of a, or of the result.
void GlslPack(Machine& machine, const Op& op);
void GlslUnpack(Machine& machine, const Op& op);
/// `count` components of a; b: the rows of the whole part, or of the exponent (type Scalar d).
void GlslModf(Machine& machine, const Op& op);
void GlslFrexp(Machine& machine, const Op& op);
/// b: the exponent, of type Scalar d.
void GlslLdexp(Machine& machine, const Op& op);

}  // namespace interp
}  // namespace refract
