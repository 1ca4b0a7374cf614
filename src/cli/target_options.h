// SPDX-License-Identifier: Apache-2.0
// The options for targets. They have the same names in every verb: --targets (or --target) takes
// names, and --target-file (or --target-files) takes descriptions.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"

namespace refract {
inline namespace cli {

/// Declares --targets NAME[,NAME...]: names as `FindTarget` takes them. The passes of an optimiser
/// are also items of the list (see JoinPassLists). A file or folder that describes targets is a
/// usage error, which names --target-file.
void DeclareTargets(Options& options, std::vector<std::string>* names, const char* help);
/// The same for a single target. `names` are the names of the option: "--target,--targets".
void DeclareTarget(Options& options, const char* names, std::string* name, const char* help);
/// Declares --target-file DIR|FILE, which may be given several times.
void DeclareTargetFiles(Options& options, std::vector<std::string>* files, const char* help);

}  // namespace cli
}  // namespace refract
