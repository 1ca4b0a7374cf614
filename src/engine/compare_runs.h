// SPDX-License-Identifier: Apache-2.0
// Compares two runs of the interpreter, one before and one after a change.
#pragma once

#include <optional>
#include <string>

#include "interp/interpreter.h"

namespace refract {
inline namespace engine {

/// Returns a message about the first effect of a change that no transformation may have: another
/// value of a defined output, an output that is less defined or less exact than before, a trap, or
/// (with `control`) control flow or an address that now depends on an approximate value. Returns
/// nullopt if not found. `before` must not have trapped. Outputs that only `after` has are
/// ignored.
std::optional<std::string> FindDifference(const RunReport& before, const RunReport& after,
                                          bool control);

}  // namespace engine
}  // namespace refract
