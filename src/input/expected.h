// SPDX-License-Identifier: Apache-2.0
// Reads and writes the expected outputs of a run: section "$expected" of shader.json
// (docs/inputs.md). The code that runs the module compares them with its outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/json_fields.h"

namespace refract {
inline namespace input {

/// Reads the section "$expected".
Status ReadExpected(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                    ExpectedOutputs* expected);
/// Writes the text that ReadExpected reads.
std::string ExpectedText(const ExpectedOutputs& expected, ListForm form);

}  // namespace input
}  // namespace refract
