// SPDX-License-Identifier: Apache-2.0
// Instructions in messages. Inside this room only.
#pragma once

#include <string>

#include "ir/module.h"

namespace refract::inline interp {

/// "OpUDiv %12", "OpStore in function %4 after %31": by the file's ids.
std::string Describe(const Module& module, Inst instruction);

}  // namespace refract::inline interp
