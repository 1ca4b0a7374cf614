// SPDX-License-Identifier: Apache-2.0
// The other shader of the pipeline that a module is drawn with: named on the command line, or found
// beside it by its name.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/console.h"
#include "cli/options.h"
#include "input/companion.h"

namespace refract::inline cli {

/// What the command line says of it.
struct CompanionArguments {
  std::string vertex, fragment;
};

/// Declares --vertex and --fragment.
void DeclareCompanion(Options& options, CompanionArguments* given);

/// The file of it: the one that `given` names, else that beside the module (CompanionBeside).
/// Empty: there is none.
std::string CompanionFileOf(const std::string& module, const CompanionArguments& given);

/// Loads it; null if there is none. Warnings go to the user.
Result<std::shared_ptr<const Companion>> LoadCompanion(const std::string& module,
                                                       const CompanionArguments& given,
                                                       Console& console);

}  // namespace refract::inline cli
