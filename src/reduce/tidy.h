// SPDX-License-Identifier: Apache-2.0
// Removes what a reduced recording no longer needs.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/original.h"
#include "message/recording.h"

namespace refract {
inline namespace reduce {

/// Removes ids and declarations that no step of the recording needs, if the recording still replays
/// to `words`, the module of `context`. Sets the hashes of the result.
void Tidy(message::Recording* recording, const Original& original,
          const std::vector<uint32_t>& words, const Context& context);

}  // namespace reduce
}  // namespace refract
