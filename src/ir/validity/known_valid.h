// SPDX-License-Identifier: Apache-2.0
// Remembers which modules spirv-val accepted, across processes, so that another run on the same
// original need not validate it again. The data is in the user's cache (base/cache.h).
#pragma once

#include <cstdint>
#include <span>

#include "ir/tools.h"

namespace refract {
inline namespace ir {

/// Like FindInvalidWithin, but skips modules that it accepted before in less than `quick_seconds`.
/// Refused modules are not cached, nor those that took longer, because users want to notice them.
std::optional<ValidationError> FindInvalidUnlessKnown(std::span<const uint32_t> words,
                                                      TargetEnvironment environment,
                                                      const ValidationOptions& options,
                                                      double quick_seconds = 0.1);

}  // namespace ir
}  // namespace refract
