// SPDX-License-Identifier: Apache-2.0
// What a run is to leave behind, where that is known beforehand: section "$expected" of
// shader.json (docs/inputs.md). Whoever runs a module with such inputs compares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/json_fields.h"

namespace refract::inline input {

/// Reads the section.
Status ReadExpected(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                    ExpectedOutputs* expected);
/// The text that ReadExpected reads.
std::string ExpectedText(const ExpectedOutputs& expected, ListForm form);

}  // namespace refract::inline input
