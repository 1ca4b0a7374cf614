// SPDX-License-Identifier: Apache-2.0
// The options that describe an original: module, inputs, entry point, environment.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"
#include "engine/original.h"
#include "glsl/companion_file.h"
#include "glsl/load.h"

namespace refract {
inline namespace cli {

/// The options for spirv-val: its layout options, and its time limit in seconds.
struct ValidatorArguments {
  std::array<bool, 9> flags = {};
  uint64_t limit = kValidatorSeconds;
};
/// Declare the layout options and --validator-limit, or only one of the two.
void DeclareValidator(Options& options, ValidatorArguments* given);
void DeclareLayout(Options& options, ValidatorArguments* given);
void DeclareValidatorLimit(Options& options, uint64_t* limit);
ValidationOptions ValidationOf(const ValidatorArguments& given);

/// Declares --vertex and --fragment.
void DeclareCompanion(Options& options, CompanionArguments* given);

/// The options of an original.
struct OriginalArguments {
  std::string module;
  std::string inputs;  ///< --inputs; empty: the module's name with .json, if that file exists
  CompanionArguments companion;
  std::string entry;
  std::string environment;
  ValidatorArguments validator;
  std::string shapes = "validated";
};

/// Declares MODULE, --inputs, --vertex, --fragment and --validator-limit. With `choices`, also
/// declares the options that a recording would otherwise determine: --entry, --target-env, the
/// layout options of spirv-val, and --shapes.
void DeclareOriginal(Options& options, OriginalArguments* given, bool choices);

/// The files that LoadOriginal reads, including "-".
std::vector<std::string> InputFilesOf(const OriginalArguments& arguments);

/// Calls LoadModuleFile and prints its warnings.
Result<LoadedModule> LoadModuleFor(Console& console, const std::string& path);

/// Loads a module in any form, and its inputs. `fixed` (may be null) has the options of a
/// recording, which replace those of the command line. Prints warnings.
Result<Original> LoadOriginal(const OriginalArguments& arguments, const OriginalOptions* fixed,
                              Console& console);

}  // namespace cli
}  // namespace refract
