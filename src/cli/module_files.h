// SPDX-License-Identifier: Apache-2.0
// What a user means by a module or a folder of modules.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace refract::inline cli {

/// The file itself; of a folder the files in it, recursively in byte order, that end as modules do
/// (.spv, .spvasm, .frag, .vert, .comp).
Result<std::vector<std::string>> ListModuleFiles(const std::string& path);

}  // namespace refract::inline cli
