// SPDX-License-Identifier: Apache-2.0
// In how many ways a message can be said more simply, whatever it is of.
#pragma once

#include <functional>
#include <vector>

#include "message/any.h"

namespace refract::inline shrink {

/// The message with one list shortened, one flag or enum at its default, one number nearer to zero,
/// one name or text gone, one composite type a part of it; the boldest of each field first. A
/// donated function's body stays as it is, and so do constants.
std::vector<AnyMessage> SmallerMessages(const AnyMessage& message);

/// What may stand for what a name names, plainest first.
using PlainerNames = std::function<std::vector<Name>(const Name&)>;
/// The message with one constant made zero, false or one, or with another name that `names` gives.
std::vector<AnyMessage> PlainerMessages(const AnyMessage& message, const PlainerNames& names);

}  // namespace refract::inline shrink
