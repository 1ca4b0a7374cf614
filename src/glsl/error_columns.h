// SPDX-License-Identifier: Apache-2.0
// The columns of errors in GLSL. glslang reports only lines.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace refract {
inline namespace glsl {

/// Returns the same error, but adds a column to each line of its message that begins with
/// "NAME:LINE: " and names a token of that line of `source`.
Error WithColumns(Error error, const std::string& name, std::string_view source);

}  // namespace glsl
}  // namespace refract
