// SPDX-License-Identifier: Apache-2.0
// Converts functions of donor modules to messages that add them to other modules. What a message
// can express is translated. Functions with anything else are left out, with the reason.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"
#include "message/any.h"

namespace refract {
inline namespace donate {

/// A function of a donor that cannot be donated.
struct LeftOut {
  std::string function;  ///< "FILE: %12 (name)"
  std::string reason;
};

/// The functions of some donors.
struct Donors {
  std::vector<AnyMessage> functions;  ///< messages of type AddFunction, each origin once
  std::vector<LeftOut> left_out;
};

/// Adds the functions of a valid module, each after those that it calls. Calls name a function by
/// its origin only (ResolveDonatedCalls). Reasons call the module `file`. Module variables that a
/// function uses become local variables, so that entry points can be donated too. A function that
/// ends in other ways than by returning is added twice: live-safe with returns of null, and
/// unchanged. Returns true if the module gave at least one function.
bool AddDonors(const Module& module, const std::string& file, Donors* donors);

}  // namespace donate
}  // namespace refract
