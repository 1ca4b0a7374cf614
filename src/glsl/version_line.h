// SPDX-License-Identifier: Apache-2.0
// Which GLSL is read: 310 es and later, 330 and later; 300 es as 310 es, with a warning. glslang
// is asked about the rest of the source, but its own words about versions are of little help.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace refract::inline glsl {

/// A source as glslang is given it, line for line as it was.
struct VersionedSource {
  std::string text;
  std::string warning;  ///< "NAME:LINE: what was replaced"; empty: nothing was
};

/// Finds the #version, behind comments and white space. A source without one, or of a version that
/// cannot become Vulkan's, is refused by its line ("NAME:LINE: ..."). glslang wants an es version
/// before any comment, so it is put there; lines keep their numbers.
Result<VersionedSource> ReadVersion(const std::string& name, std::string_view source);

}  // namespace refract::inline glsl
