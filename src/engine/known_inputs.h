// SPDX-License-Identifier: Apache-2.0
// From inputs as read to facts: which scalars of uniforms are known.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "facts/facts.h"
#include "input/inputs.h"

namespace refract::inline engine {

/// The scalars that entry point `entry` reads from uniform blocks and push constants and whose
/// values `inputs` gives; nothing of blocks that cannot be filled, such as those with pointers.
/// Inputs that do not
/// fit the module are an error; `file` is what it calls them.
Result<std::vector<KnownValue>> KnownInputsOf(const Module& module, const std::string& entry,
                                              const Inputs& inputs, const std::string& file);

}  // namespace refract::inline engine
