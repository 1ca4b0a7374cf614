// SPDX-License-Identifier: Apache-2.0
// spirv-opt -O in a process of its own: it crashes on some valid modules (docs/bugs.md), and what
// measures sixty of them is to survive that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace refract::measure {

/// The module after `spirv-opt -O`, which is found in $PATH. `file` is what errors call the module.
Result<std::vector<uint32_t>> Optimised(const std::vector<uint32_t>& words,
                                        const std::string& file);

}  // namespace refract::measure
