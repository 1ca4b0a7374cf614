// SPDX-License-Identifier: Apache-2.0
// Finds and loads the references of a campaign. A reference that cannot be used is skipped, and the
// others are used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/setup.h"

namespace refract {
inline namespace cli {

/// A file with a reference, and the name of the reference.
struct ReferenceFile {
  std::string name, file;
};

/// Lists the modules that `paths` name, sorted by name: a module, or all modules in a folder. A
/// file that several paths name is listed once, with the name that it has for the first of them. An
/// error for a path that does not exist, a folder without modules, and two modules with one name.
Result<std::vector<ReferenceFile>> ListReferences(const std::vector<std::string>& paths);

/// Puts `files` into a random order, which depends only on the seed and on the names.
void ShuffleReferences(uint64_t seed, std::vector<ReferenceFile>* files);

/// Loads the files with several threads, and sets the members of `setup` for references. With
/// `sample`, loads them in the given order until there are `sample` references. Skips a reference
/// that does not compile, is not valid, cannot be run, or has missing inputs (unless
/// setup->zero_inputs). An error if no reference remains.
Status LoadReferences(const std::vector<ReferenceFile>& files, std::optional<uint64_t> sample,
                      CampaignSetup* setup);

}  // namespace cli
}  // namespace refract
