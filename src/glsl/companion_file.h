// SPDX-License-Identifier: Apache-2.0
// The file of the other shader of a pipeline, found beside a module by its name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/companion.h"

namespace refract {

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

}  // namespace refract
