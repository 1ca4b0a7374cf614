// SPDX-License-Identifier: Apache-2.0
// Parts of values as messages name them: by literal indices from the whole.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// The part that the path leads to; its value is kNone if there is none.
Part PartAt(const Module& module, Id composite, const std::vector<uint32_t>& path);
/// A path from values of the composite type to one of their parts; each step deeper with even odds.
/// Empty where the type has no parts.
std::vector<uint32_t> RandomPath(Proposer& proposer, Id type);
/// Says that `part`, which a step has made, is part `number` of `whole`: equal to it, or irrelevant
/// as it is.
void AddPartFacts(ContextEditor& editor, Id part, Id whole, uint32_t number);

}  // namespace refract::inline rules
