// SPDX-License-Identifier: Apache-2.0
// Whether two runs of the interpreter, before and after a change, left the same behind.
#pragma once

#include <optional>
#include <string>

#include "interp/interpreter.h"

namespace refract::inline engine {

/// What a change did that no change may do: other outputs where they were defined, an output less
/// defined or less exact than it was, a trap, and with `control` a decision that rests on an
/// approximate value where none did. nullopt if nothing. `before` must not have trapped; outputs
/// that only `after` has are its own affair.
std::optional<std::string> FindDifference(const RunReport& before, const RunReport& after,
                                          bool control);

}  // namespace refract::inline engine
