// SPDX-License-Identifier: Apache-2.0
// The names of types in shader.json: "glUniform2uiv", "glUniformMatrix2x3fv", "texture2D", and
// "ivec2" for the fields of a compute shader's buffer. Reading and writing use the same tables.
#pragma once

#include <string>
#include <string_view>

#include "input/inputs.h"

namespace refract {
inline namespace input {

/// Sets the type of `value` (and `image`, for images and samplers) from the name `func`. Sets
/// `*is_array` for the v form of a scalar or vector. Returns false if `func` is not a known name.
bool ParseInputFunc(std::string_view func, InputValue* value, bool* is_array);

/// Sets the type of one element of a field from its name; false if the name is unknown.
bool ParseFieldType(std::string_view name, InputValue* field);

/// The name from which ParseFieldType gets this type of an element.
std::string_view FieldTypeName(const InputValue& field);

/// Reads a topology, such as "triangle_strip". Returns false for other texts.
bool ParseTopology(std::string_view text, BoundMesh::Topology* topology);
std::string_view TopologyName(BoundMesh::Topology topology);

/// The names of domains: "triangles" and so on.
bool ParseDomain(std::string_view text, TessellationInput::Domain* domain);
std::string_view DomainName(TessellationInput::Domain domain);

/// The names of scenes: "empty" and "steps".
bool ParseScene(std::string_view text, BoundImage::Scene* scene);
std::string_view SceneName(BoundImage::Scene scene);

/// The names of what samplers read outside of an image: "repeat" and so on.
bool ParseWrap(std::string_view text, BoundImage::Wrap* wrap);
std::string_view WrapName(BoundImage::Wrap wrap);

/// The names of colours of borders: "transparent", "black" and "white".
bool ParseBorder(std::string_view text, BoundImage::Border* border);
std::string_view BorderName(BoundImage::Border border);

/// The names of what samplers make of several texels: "average", "minimum" and "maximum".
bool ParseReduction(std::string_view text, BoundImage::Reduction* reduction);
std::string_view ReductionName(BoundImage::Reduction reduction);

/// Reads a comparison of a depth image, such as "less_or_equal". Returns false for other texts.
bool ParseCompare(std::string_view text, BoundImage::Compare* compare);

/// The name of a comparison; empty for kNone.
std::string_view CompareName(BoundImage::Compare compare);

}  // namespace input
}  // namespace refract
