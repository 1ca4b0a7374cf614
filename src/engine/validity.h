// SPDX-License-Identifier: Apache-2.0
// Checks a variant with our own structural checker and with spirv-val, in the environment of the
// original (docs/decisions.md says how the two relate).
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/original.h"

namespace refract {
inline namespace engine {

/// Returns what is wrong with a changed module and which checker found it (kFailed), or nullopt if
/// nothing is. The kind is kBadInput if spirv-val gave no answer within its limits.
std::optional<Error> FindValidityError(const Module& module, const std::vector<uint32_t>& words,
                                       const Original& original);

/// The part of it that does not need spirv-val, and takes a quarter of the time: returns the rule
/// of the structural checker that `module` breaks and the original does not.
std::optional<Error> FindStructuralError(const Module& module, const Original& original);

}  // namespace engine
}  // namespace refract
