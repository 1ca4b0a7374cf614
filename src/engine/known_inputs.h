// SPDX-License-Identifier: Apache-2.0
// Facts from the inputs: the scalars of uniforms with known values.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "facts/facts.h"
#include "input/inputs.h"

namespace refract {
inline namespace engine {

/// Returns the scalars that the entry point `entry` reads from uniform blocks and push constants
/// and whose values `inputs` gives. Leaves out blocks that cannot be filled, such as those with
/// pointers. Inputs that do not fit the module are an error, whose message calls them `file`.
Result<std::vector<KnownValue>> KnownInputsOf(const Module& module, const std::string& entry,
                                              const Inputs& inputs, const std::string& file);

}  // namespace engine
}  // namespace refract
