// SPDX-License-Identifier: Apache-2.0
// Functions of donor modules as messages that add them anywhere. What a message can say is
// translated; a function with anything else in it is left out, with the reason.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"
#include "message/any.h"

namespace refract::inline donate {

/// A function of a donor that cannot be donated.
struct LeftOut {
  std::string function;  ///< "FILE: %12 (name)"
  std::string reason;
};

struct Donors {
  std::vector<AnyMessage> functions;  ///< messages of type AddFunction, each origin once
  std::vector<LeftOut> left_out;
};

/// Adds the functions of a valid module, each after those it calls, which it names by origin alone
/// (ResolveDonatedCalls). `file` is how reasons call it. Variables of the module that a function
/// uses become local variables of it, so an entry point can be donated, too. A function with other
/// ends than returns is given twice: live-safe, with returns of null, and as it is. True if it gave
/// at least one function.
bool AddDonors(const Module& module, const std::string& file, Donors* donors);

}  // namespace refract::inline donate
