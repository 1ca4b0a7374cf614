// SPDX-License-Identifier: Apache-2.0
// Whether what we made is valid: judged by our own structural checker and by spirv-val under the
// original's environment (docs/decisions.md says how the two relate).
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/original.h"

namespace refract::inline engine {

/// What is wrong with a changed module, in whose words (kFailed); nullopt if nothing is. kBadInput:
/// spirv-val came to no answer within its limits.
std::optional<Error> FindOurFault(const Module& module, const std::vector<uint32_t>& words,
                                  const Original& original);

}  // namespace refract::inline engine
