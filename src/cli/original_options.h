// SPDX-License-Identifier: Apache-2.0
// The options by which verbs are given an original: module, inputs, entry point, environment.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cli/companion_files.h"
#include "cli/console.h"
#include "cli/options.h"
#include "engine/original.h"
#include "glsl/load.h"

namespace refract::inline cli {

/// What was said of spirv-val: which of its layout options are on, and its limit in seconds.
struct ValidatorArguments {
  std::array<bool, 9> flags = {};
  uint64_t limit = kValidatorSeconds;
};
/// Declares the layout options and --validator-limit, or that alone.
void DeclareValidator(Options& options, ValidatorArguments* given);
void DeclareValidatorLimit(Options& options, uint64_t* limit);
ValidationOptions ValidationOf(const ValidatorArguments& given);

/// What the command line says of an original.
struct OriginalArguments {
  std::string module;
  std::string inputs;  ///< --inputs; empty: the module's name with .json, if there is such a file
  CompanionArguments companion;
  std::string entry;
  std::string environment;
  ValidatorArguments validator;
  std::string shapes = "validated";
};

/// Declares MODULE, --inputs, --vertex, --fragment, --validator-limit and, if `choices`, what a
/// recording would otherwise say: --entry, --target-env, spirv-val's layout options and --shapes.
void DeclareOriginal(Options& options, OriginalArguments* given, bool choices);

/// The inputs file of a module: --inputs, or that beside it (InputsBeside); empty: none.
std::string InputsFileOf(const std::string& module, const std::string& inputs);

/// The files that LoadOriginal reads, "-" among them.
std::vector<std::string> InputFilesOf(const OriginalArguments& arguments);

/// Reads inputs; null if there are none.
Result<std::shared_ptr<const Inputs>> LoadInputsOf(const std::string& module,
                                                   const std::string& inputs);

/// LoadModuleFile, whose warnings go to the user.
Result<LoadedModule> LoadModuleFor(Console& console, const std::string& path);

/// Loads the module in whichever form and its inputs. `fixed` (may be null) takes the place of the
/// choices: what a recording says. Warnings go to the user.
Result<Original> LoadOriginal(const OriginalArguments& arguments, const OriginalOptions* fixed,
                              Console& console);

}  // namespace refract::inline cli
