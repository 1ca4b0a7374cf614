// SPDX-License-Identifier: Apache-2.0
// Adds to the inputs of a module everything that its entry point uses and that they do not have.
// The result can be written to shader.json, and people can then change the values.
//
// Each member of a block that is read becomes an entry with its name. Members that the module gives
// no usable name get an "offset". A runtime array without a length, and a storage buffer that is
// only written, get a "buffer" entry. Members of the block of plain uniforms get no binding, so the
// entries stay right when the GLSL source changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/inputs.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

struct CompletedInputs {
  Inputs inputs;
  /// The names of the added entries, in the order of the file, "$depth" if it was added, and
  /// descriptions of the added attributes of vertices.
  std::vector<std::string> added;
};

/// `given` with entries for everything that `entry` and the companion of `given` use. Without
/// `seed`, the new values are 0. With it, floats are multiples of 1/16 from -4 to 4, integers are
/// from 0 to 15, because shaders use them as indices and limits of loops, and images have noise.
/// The value of an entry depends only on its name and the seed. Errors call the inputs `file` and
/// name what cannot be given a value.
Result<CompletedInputs> CompleteInputs(const Module& module, const EntryPoint& entry,
                                       const Inputs& given, const std::string& file,
                                       std::optional<uint64_t> seed);

}  // namespace input
}  // namespace refract
