// SPDX-License-Identifier: Apache-2.0
// Which modules spirv-val has accepted before, in whichever process: a run on the same original
// need not ask again. What is known is in the user's cache (base/cache.h).
#pragma once

#include <cstdint>
#include <span>

#include "ir/tools.h"

namespace refract::inline ir {

/// FindInvalidWithin, which is not asked again about a module that it accepted quickly before. What
/// it refuses or takes long over is not kept.
std::optional<ValidationError> FindInvalidUnlessKnown(std::span<const uint32_t> words,
                                                      TargetEnvironment environment,
                                                      const ValidationOptions& options);

}  // namespace refract::inline ir
