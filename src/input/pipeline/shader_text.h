// SPDX-License-Identifier: Apache-2.0
// The assembly of the shaders that Refract makes (made_shaders.h).
#pragma once

#include <cstdint>
#include <memory>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/companion.h"
#include "input/stage_interface.h"

namespace refract {
inline namespace input {

/// A value that a made shader passes.
struct Passed {
  uint32_t location = 0;
  uint32_t components = 1;
  InterfaceSlot::Kind kind = InterfaceSlot::kFloat;
  bool flat = false, no_perspective = false, patch = false;
  bool primitive = false;  ///< one value for each primitive of a mesh shader
};

/// The name of its type in the assembly, such as "float4".
std::string TypeName(const Passed& passed);

/// A built-in in the block of a vertex.
struct BlockMember {
  spv::BuiltIn built_in = spv::BuiltIn::Position;
  uint32_t length = 0;  ///< of an array of distances; 0 for Position and PointSize
};

/// The parts of the text of a module that its maker fills. The text may name the types of 32 bits,
/// pointers to them such as %in_float4 and %out_uint, arrays such as %in_all_float4 with an element
/// for each vertex, and the constants %zero, %f0, %f1 and %origin.
struct ShaderText {
  std::string_view stage;
  std::string capability = "Shader";
  std::string extension = {};  ///< if it is not empty, the module has the version 1.4, else 1.0
  std::string interface = {}, modes = {}, decorations = {}, variables = {}, body = {};
  /// The members of the blocks %in_vertex and %out_vertex. They must be those of the other stage.
  std::vector<BlockMember> vertex = {{spv::BuiltIn::Position, 0}};
};

/// Adds an input and an output for each value: whole, or one of each vertex.
void DeclareValues(const std::vector<Passed>& all, bool in_arrays, bool out_arrays,
                   ShaderText* text);

/// The shader of a text. `in` and `out`: the vertices of the arrays. Errors name `file`.
Result<std::shared_ptr<const Companion>> MakeFrom(const ShaderText& text, spv::ExecutionModel model,
                                                  const std::string& file, uint32_t in = 1,
                                                  uint32_t out = 1);

}  // namespace input
}  // namespace refract
