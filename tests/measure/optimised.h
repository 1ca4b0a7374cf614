// SPDX-License-Identifier: Apache-2.0
// Runs spirv-opt -O in a separate process: it crashes on some valid modules (docs/bugs.md), and a
// program that measures all references must survive that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace refract::measure {

/// The module after `spirv-opt -O`, which must be in $PATH. Errors call the module `file`.
Result<std::vector<uint32_t>> Optimised(const std::vector<uint32_t>& words,
                                        const std::string& file);

}  // namespace refract::measure
