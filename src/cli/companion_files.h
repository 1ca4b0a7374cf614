// SPDX-License-Identifier: Apache-2.0
// The companion of a module, which is the other shader of its pipeline: named on the command line,
// or found by its name in the folder of the module.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/console.h"
#include "cli/options.h"
#include "input/companion.h"

namespace refract {
inline namespace cli {

/// The options that name the companion.
struct CompanionArguments {
  std::string vertex, fragment;
};

/// Declares --vertex and --fragment.
void DeclareCompanion(Options& options, CompanionArguments* given);

/// The file of the companion: the one that `given` names, or else the one next to the module
/// (FindCompanionFile). Empty if not found.
std::string CompanionFileOf(const std::string& module, const CompanionArguments& given);

/// Loads the companion; null if not found. Prints warnings.
Result<std::shared_ptr<const Companion>> LoadCompanion(const std::string& module,
                                                       const CompanionArguments& given,
                                                       Console& console);

}  // namespace cli
}  // namespace refract
