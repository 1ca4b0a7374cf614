// SPDX-License-Identifier: Apache-2.0
// The module that is decoded, and the errors that name it. Private to this library.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ir/module.h"

namespace refract {
inline namespace interp {

struct DecodeSource {
  const Module& module;
  const std::string& file;  ///< the name of the module in errors

  /// The error for an instruction that the interpreter does not support.
  Error Cannot(Inst inst, std::string_view why) const;
};

}  // namespace interp
}  // namespace refract
