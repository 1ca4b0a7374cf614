// SPDX-License-Identifier: Apache-2.0
// The columns of errors in GLSL: glslang gives lines alone.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace refract::inline glsl {

/// The same error, with a column in every line of its message that begins with "NAME:LINE: " and
/// says which token of that line of `source` it is about.
Error WithColumns(Error error, const std::string& name, std::string_view source);

}  // namespace refract::inline glsl
