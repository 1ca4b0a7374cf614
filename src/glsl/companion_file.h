// SPDX-License-Identifier: Apache-2.0
// What lies beside a module and belongs to it by its name: its inputs, and the other shader of a
// pipeline.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/companion.h"
#include "input/inputs.h"

namespace refract::inline glsl {

/// Of NAME.frag, NAME.frag.spv or NAME.frag.spvasm the file NAME.vert with one of these endings
/// (first the module's own) that is there, and the other way round. Empty: there is none.
std::string CompanionBeside(const std::string& module);

/// Vertex if the file's name says so (NAME.vert, NAME.vert.spv, ...), else Fragment.
spv::ExecutionModel StageByName(const std::string& file);

struct LoadedCompanion {
  std::shared_ptr<const Companion> companion;
  std::vector<std::string> warnings;  ///< of the GLSL front end, for the user to see
};
/// Loads the shader of stage `model` that the file has, in whichever form.
Result<LoadedCompanion> LoadCompanionFile(const std::string& file, spv::ExecutionModel model);

/// The inputs of NAME.frag, NAME.spv and so on: NAME.json; of NAME.frag.spv and the like
/// NAME.frag.json or else NAME.json. Empty: there are none.
std::string InputsBeside(const std::string& module);

/// All that a module is run with: the inputs beside it, with its companion. Null: it has neither.
Result<std::shared_ptr<const Inputs>> LoadInputsBeside(const std::string& module);

}  // namespace refract::inline glsl
