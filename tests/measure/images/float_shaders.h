// SPDX-License-Identifier: Apache-2.0
// Makes fragment shaders that compute colours with floats, for measurements.
#pragma once

#include <cstdint>
#include <string>

namespace refract::measure {

/// The GLSL source of a shader, a function of the seed. It has no inputs, no undefined behaviour
/// and no overflow: divisors are at least 1, and square roots and logarithms have operands of at
/// least 0.1. It has loops, branches, functions and most built-in functions on floats.
std::string FloatShader(uint64_t seed);

}  // namespace refract::measure
