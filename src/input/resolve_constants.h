// SPDX-License-Identifier: Apache-2.0
// Converts the values of "$spec_constants" to the types of the module's constants.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "input/inputs.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

/// The constants, sorted by id. Ids that the module does not have are left out. A value that does
/// not fit the type of its constant is an error. Errors call the inputs `file`.
Result<std::vector<BoundConstant>> ResolveConstants(const Module& module, const Inputs& inputs,
                                                    const std::string& file);

}  // namespace input
}  // namespace refract
