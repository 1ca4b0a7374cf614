// SPDX-License-Identifier: Apache-2.0
// Remembers which modules spirv-val accepted, across processes, so that another run on the same
// original need not validate it again. The data is in the user's cache (base/cache.h).
#pragma once

#include <cstdint>
#include <span>

#include "ir/tools.h"

namespace refract {
inline namespace ir {

/// Like FindInvalidWithin, but skips modules that it quickly accepted before. Refused modules and
/// those that took long are not cached.
std::optional<ValidationError> FindInvalidUnlessKnown(std::span<const uint32_t> words,
                                                      TargetEnvironment environment,
                                                      const ValidationOptions& options);

}  // namespace ir
}  // namespace refract
