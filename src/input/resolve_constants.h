// SPDX-License-Identifier: Apache-2.0
// The values of "$spec_constants" in the widths that a module has for them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "input/inputs.h"
#include "ir/module.h"

namespace refract::inline input {

/// Sorted by id. Ids that the module does not have are left out; a value that is not of the
/// constant's type or does not fit into it is refused. Errors call the inputs `file`.
Result<std::vector<BoundConstant>> ResolveConstants(const Module& module, const Inputs& inputs,
                                                    const std::string& file);

}  // namespace refract::inline input
