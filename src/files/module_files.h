// SPDX-License-Identifier: Apache-2.0
// Finds the modules that a path on the command line names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace files {

/// For a file, that file. For a folder, the modules in it (IsModuleFile), recursively, in byte
/// order.
Result<std::vector<std::string>> ListModuleFiles(const std::string& path);

}  // namespace files
}  // namespace refract
