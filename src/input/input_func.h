// SPDX-License-Identifier: Apache-2.0
// The names of types in shader.json: "glUniform2uiv", "glUniformMatrix2x3fv", "texture2D", and
// "ivec2" for the fields of a compute shader's buffer. One table of each kind serves reading and
// writing.
#pragma once

#include <string>
#include <string_view>

#include "input/inputs.h"

namespace refract::inline input {

/// Fills in the type of `value` (`image` of images and samplers); `*is_array` is set for the v form
/// of a scalar or vector. False if `func` is no such name.
bool ParseInputFunc(std::string_view func, InputValue* value, bool* is_array);

/// Fills in the type of one element of a field; false if `name` is no such name.
bool ParseFieldType(std::string_view name, InputValue* field);

/// The name that ParseFieldType takes for the type of one element.
std::string_view FieldTypeName(const InputValue& field);

}  // namespace refract::inline input
