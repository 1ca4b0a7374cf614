// SPDX-License-Identifier: Apache-2.0
// Parts of composite values as messages name them: by literal indices.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// The part at this path; its value is kNone if not found.
Part PartAt(const Module& module, Id composite, const std::vector<uint32_t>& path);
/// A random path from values of the composite type to one of their parts. Each further step has a
/// probability of 1/2. Empty if the type has no parts.
std::vector<uint32_t> RandomPath(Proposer& proposer, Id type);
/// Records that `part`, a value that the step made, is part `number` of `whole`: they are synonyms,
/// or both are irrelevant.
void AddPartFacts(ContextEditor& editor, Id part, Id whole, uint32_t number);

}  // namespace rules
}  // namespace refract
