// SPDX-License-Identifier: Apache-2.0
// Variables of class Function and Private that become parts of others, or whose parts become
// variables: which those are, and what names them beside instructions of functions.
#pragma once

#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// Whether the variable is the invocation's own, of a type that others may have, carries no
/// decoration but RelaxedPrecision, and is used by nothing but instructions of functions.
Verdict IsOwnVariable(const View& view, Id variable);

/// Uses by instructions of functions, in a fixed order: by where they were made.
struct PointerUse {
  Inst user = Inst::kNone;
  uint32_t operand = 0;
};
std::vector<PointerUse> UsesInFunctions(const Module& module, Id variable);

/// In the interfaces of entry points `others` take the place of the variable.
void ReplaceInInterfaces(ContextEditor& editor, Id variable, const std::vector<Id>& others);

/// Behind the variables of the function's first block, where pointers to their parts may be made.
Inst BehindVariables(const Module& module, Function function);

bool HasRelaxedPrecision(const Module& module, Id id);
/// Says it of the id, or of the member of a struct type; in role `role` of the step.
void AddRelaxedPrecision(ContextEditor& editor, Id id, uint64_t role);
void AddRelaxedPrecision(ContextEditor& editor, Id type, uint32_t member, uint64_t role);

}  // namespace refract::inline rules
