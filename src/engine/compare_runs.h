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
/// control flow or an address that now depends on an approximate value (unless the run was made
/// with RunOptions::ignore_approximate_control). Returns nullopt if not found. `before` must not
/// have trapped. Outputs that only `after` has are ignored.
std::optional<std::string> FindDifference(const RunReport& before, const RunReport& after);

/// The same for a variant with steps that need a certificate (certifier.h), except that 8-bit
/// colours are compared by their bounds (RunReport::target_bounds): every level that the variant
/// may have must be a level that the original may have, or as far away as the comparison rule
/// `bounded` allows by default (Thresholds::slack). If the original is exact, it must be the same
/// level. If bounds of the original are so far apart that this rule does not use them by default
/// (Thresholds::narrow), the interpreter's own levels must be the same.
std::optional<std::string> FindUncertified(const RunReport& before, const RunReport& after);

}  // namespace engine
}  // namespace refract
