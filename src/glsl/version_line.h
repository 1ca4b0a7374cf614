// SPDX-License-Identifier: Apache-2.0
// Reads the #version of a GLSL source. Versions 310 es and later and 330 and later are supported;
// 300 es is compiled as 310 es, with a warning. glslang's own messages about versions are of little
// help.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace refract {
inline namespace glsl {

/// A source in the form that glslang gets. Each line has the same number as in the original.
struct VersionedSource {
  std::string text;
  std::string warning;  ///< "NAME:LINE: ..." if the version was replaced; else empty
};

/// Finds the #version after comments and white space. A source without one, or of an unsupported
/// version, is an error with its line ("NAME:LINE: ..."). glslang requires an es version before any
/// comment, so it is moved there; all lines keep their numbers.
Result<VersionedSource> ReadVersion(const std::string& name, std::string_view source);

}  // namespace glsl
}  // namespace refract
