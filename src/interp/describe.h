// SPDX-License-Identifier: Apache-2.0
// Names instructions in messages. Private to this library.
#pragma once

#include <string>

#include "ir/module.h"

namespace refract {
inline namespace interp {

/// An instruction as text, with the ids of the file: "OpUDiv %12", "OpStore in function %4 after
/// %31".
std::string Describe(const Module& module, Inst instruction);

}  // namespace interp
}  // namespace refract
