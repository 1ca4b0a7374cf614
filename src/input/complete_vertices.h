// SPDX-License-Identifier: Apache-2.0
// Adds to the inputs of a vertex shader the attributes that it reads and that they do not have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/random.h"
#include "base/result.h"
#include "input/complete_inputs.h"

namespace refract {
inline namespace input {

/// Sets all words of `value` to random numbers, as CompleteInputs says.
void FillRandom(Random random, InputValue* value);

/// Adds the attributes. If one is missing, a grid becomes "$vertices" with the same vertices, and
/// the position stays at location 0.
Status CompleteVertices(const Module& module, const EntryPoint& entry, const std::string& file,
                        std::optional<uint64_t> seed, CompletedInputs* result);

}  // namespace input
}  // namespace refract
