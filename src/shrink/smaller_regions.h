// SPDX-License-Identifier: Apache-2.0
// Lists smaller regions for a step that wraps, copies or outlines a region.
#pragma once

#include <vector>

#include "message/any.h"
#include "rules/context.h"

namespace refract {
inline namespace shrink {

/// Returns copies of the message with a part of its region, the one with the fewest instructions
/// first, and only a few of them. Nothing if the message has no region that exists in `context`,
/// the context before the step. The step may be impossible for the part.
std::vector<AnyMessage> SmallerRegions(const Context& context, const AnyMessage& message);

}  // namespace shrink
}  // namespace refract
