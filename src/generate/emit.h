// SPDX-License-Identifier: Apache-2.0
// Writes the module of a tree.
//
// OUTPUT. A compute shader writes one row of words for each invocation, one word for each variable
// of main in the order of their numbers. The word is a hash of all scalars of the variable. A
// fragment shader joins these words to a hash and draws 12 of its bits: each channel has one of
// eight values that are not near a boundary between two 8-bit levels. A vertex shader passes such a
// colour to its triangles, without interpolation. The position of the vertex is its attribute.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "generate/options.h"
#include "generate/tree.h"

namespace refract::generate {

struct EmittedModule {
  std::vector<uint32_t> words;           ///< SPIR-V 1.3
  uint32_t row = 0;                      ///< compute: words of each invocation in the output
  bool reads_inputs = false;             ///< whether it has the buffer of inputs
  bool reads_uniforms = false;           ///< whether it has the uniform block
  std::vector<uint32_t> spec_constants;  ///< the numbers of those that it has
  std::vector<Type> storage_images;      ///< the texels of those that it has, by binding
  std::vector<Scalar> images;            ///< the types of those that it has
  /// Results of expressions that the tree says are uniform: the same in all invocations of a
  /// workgroup or, in a fragment shader, of the draw.
  std::vector<uint32_t> uniform;
};

EmittedModule Emit(const Tree& tree, const GenerateOptions& options);

}  // namespace refract::generate
