// SPDX-License-Identifier: Apache-2.0
// Finds and loads the files that belong to a module: its inputs and its companion, the other shader
// of a pipeline. The user names them, or they are found by their names in the same folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/companion.h"
#include "input/inputs.h"

namespace refract {
inline namespace glsl {

/// The companion that the user names, by its stage; all empty: none.
struct CompanionArguments {
  std::string vertex, fragment, control, evaluation, task, mesh, ray_generation, closest_hit,
      any_hit, intersection, callable;
};

/// The file of the companion: the one that `given` names, or else the one in the folder of the
/// module. For NAME.frag, NAME.frag.spv or NAME.frag.spvasm that is NAME.vert with one of these
/// endings; the ending of the module itself comes first. NAME.vert and NAME.frag, NAME.tesc and
/// NAME.tese, NAME.task and NAME.mesh are the companions of each other. That of NAME.rgen is the
/// first of NAME.rchit, NAME.rahit, NAME.rint and NAME.rcall; theirs, and that of NAME.rmiss, is
/// NAME.rgen. Empty if not found.
std::string CompanionFileOf(const std::string& module, const CompanionArguments& given);

struct LoadedCompanion {
  std::shared_ptr<const Companion> companion;  ///< null: no companion
  std::vector<std::string> warnings;  ///< warnings of the GLSL front end, to show to the user
};
/// Loads a file of any form as the shader of stage `model`.
Result<LoadedCompanion> LoadCompanionFile(const std::string& file, spv::ExecutionModel model);
/// Loads the file that CompanionFileOf finds. Its stage is the one for which `given` names it, or
/// else the one in its name. Two companions are a usage error.
Result<LoadedCompanion> LoadCompanionOf(const std::string& module, const CompanionArguments& given);

/// The file with the inputs of a module: `given`, or else the one in the folder of the module:
/// NAME.json for NAME.frag, NAME.spv and so on; NAME.frag.json or else NAME.json for NAME.frag.spv
/// and the like. Empty if not found, and for "-".
std::string InputsFileOf(const std::string& module, const std::string& given);

struct LoadedInputs {
  std::shared_ptr<const Inputs> inputs;  ///< with the companion; null: neither was found
  std::vector<std::string> warnings;     ///< as in LoadedCompanion
};
/// Loads everything that a module is run with: its inputs (InputsFileOf) and its companion.
Result<LoadedInputs> LoadInputsOf(const std::string& module, const std::string& inputs,
                                  const CompanionArguments& companion);
/// The same for files that the user does not name, without the warnings.
Result<std::shared_ptr<const Inputs>> LoadInputsOf(const std::string& module);

}  // namespace glsl
}  // namespace refract
