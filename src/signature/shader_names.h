// SPDX-License-Identifier: Apache-2.0
// Names of the shader in messages of tools. The names of the module that was run are known, so they
// are replaced wherever a message has them. Tools also make names from these names and from ids:
// "color_731", "_15_color". Without the module, only messages of known forms show which word is a
// name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace refract {
inline namespace signature {

/// The identifiers that tools can make of the name of a thing in a module: "f(vf3;" is "f".
/// Empty if nothing is left.
std::string IdentifierOf(std::string_view name);

/// Whether `word` is one of `names` (of IdentifierOf, sorted), or consists of such names, numbers
/// and the affixes of tools, with underscores between them.
bool IsMadeOfNames(std::string_view word, const std::vector<std::string>& names);

/// Replaces names by <name>: quoted words that are made of `names`, words that are made of `names`
/// and cannot be ordinary words, and words in messages that are known to name something there.
std::string WithoutShaderNames(std::string_view text, const std::vector<std::string>& names);

/// Replaces the sizes of vectors and matrices in the names of types by N: vec3, float2x4, 3X3.
std::string WithoutTypeSizes(std::string_view text);

}  // namespace signature
}  // namespace refract
