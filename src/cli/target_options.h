// SPDX-License-Identifier: Apache-2.0
// The options by which verbs are given targets. They are spelled alike in every verb: --targets (or
// --target) takes names, --target-file (or --target-files) takes descriptions.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"

namespace refract::inline cli {

/// --targets NAME[,NAME...]: names as `FindTarget` takes them. Passes of an optimiser are parts of
/// the list (JoinPassLists). A file or folder that describes targets is refused by an error that
/// names --target-file.
void DeclareTargets(Options& options, std::vector<std::string>* names, const char* help);
/// The same for one name, which `names` are the options for: "--target,--targets".
void DeclareTarget(Options& options, const char* names, std::string* name, const char* help);
/// --target-file DIR|FILE, as often as one likes.
void DeclareTargetFiles(Options& options, std::vector<std::string>* files, const char* help);

}  // namespace refract::inline cli
