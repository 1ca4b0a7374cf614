// SPDX-License-Identifier: Apache-2.0
// Lists simpler forms of a message of any transformation.
#pragma once

#include <functional>
#include <vector>

#include "message/any.h"

namespace refract {
inline namespace shrink {

/// Returns copies of the message with one change each: a list shortened, a flag or enum set to its
/// default, a number made smaller, a name or text removed, or a composite type replaced by a part
/// of it. The largest change of each field comes first. Bodies of donated functions and constants
/// do not change.
std::vector<AnyMessage> SmallerMessages(const AnyMessage& message);

/// Returns the names that may replace a name, plainest first.
using PlainerNames = std::function<std::vector<Name>(const Name&)>;
/// Returns copies of the message with one constant made zero, false or one, or one name replaced by
/// one from `names`.
std::vector<AnyMessage> PlainerMessages(const AnyMessage& message, const PlainerNames& names);

}  // namespace shrink
}  // namespace refract
