// SPDX-License-Identifier: Apache-2.0
// Finds the files that belong to a module by their names and are in the same folder: its inputs and
// the other shader of a pipeline.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/companion.h"
#include "input/inputs.h"

namespace refract {
inline namespace glsl {

/// The other shader of a pipeline. For NAME.frag, NAME.frag.spv or NAME.frag.spvasm it is the file
/// NAME.vert with one of these endings that exists; the ending of the module itself comes first.
/// For NAME.vert it is NAME.frag in the same way. Empty if not found.
std::string FindCompanionFile(const std::string& module);

/// Vertex if the name of the file says so (NAME.vert, NAME.vert.spv, ...), else Fragment.
spv::ExecutionModel StageByName(const std::string& file);

struct LoadedCompanion {
  std::shared_ptr<const Companion> companion;
  std::vector<std::string> warnings;  ///< warnings of the GLSL front end, to show to the user
};
/// Loads a file of any form as the shader of stage `model`.
Result<LoadedCompanion> LoadCompanionFile(const std::string& file, spv::ExecutionModel model);

/// The inputs of a module: NAME.json for NAME.frag, NAME.spv and so on; NAME.frag.json or else
/// NAME.json for NAME.frag.spv and the like. Empty if not found.
std::string FindInputsFile(const std::string& module);

/// Everything that a module is run with: its inputs and its companion, from the same folder. Null
/// if there is neither.
Result<std::shared_ptr<const Inputs>> LoadInputsOf(const std::string& module);

}  // namespace glsl
}  // namespace refract
