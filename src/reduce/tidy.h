// SPDX-License-Identifier: Apache-2.0
// What a recording holds beside its steps, once most of them are gone.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/original.h"
#include "message/recording.h"

namespace refract::inline reduce {

/// Leaves out ids and declarations that no step of it needs, if it still replays to `words`, its
/// variant (which `context` holds), and sets the hashes of the result.
void Tidy(message::Recording* recording, const Original& original,
          const std::vector<uint32_t>& words, const Context& context);

}  // namespace refract::inline reduce
