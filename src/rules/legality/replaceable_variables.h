// SPDX-License-Identifier: Apache-2.0
// Variables of class Function and Private that become parts of other variables, or whose parts
// become variables: which variables qualify, and what refers to them outside functions.
#pragma once

#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// Checks that the variable belongs to the invocation, has a type that new variables may have, has
/// no decoration except RelaxedPrecision, and is used only by instructions of functions.
CheckResult IsReplaceableVariable(const View& view, Id variable);

/// Uses by instructions of functions, in a fixed order: the order in which the instructions were
/// made.
struct PointerUse {
  Inst user = Inst::kNone;
  uint32_t operand = 0;
};
std::vector<PointerUse> UsesInFunctions(const Module& module, Id variable);

/// Replaces the variable by `others` in the interfaces of entry points.
void ReplaceInInterfaces(ContextEditor& editor, Id variable, const std::vector<Id>& others);

/// The instruction after the variables of the function's first block, where pointers to their parts
/// can be inserted.
Inst AfterVariables(const Module& module, Function function);

bool HasRelaxedPrecision(const Module& module, Id id);
/// Adds the decoration to the id, or to the member of a struct type. `role` is the name role within
/// the step.
void AddRelaxedPrecision(ContextEditor& editor, Id id, uint64_t role);
void AddRelaxedPrecision(ContextEditor& editor, Id type, uint32_t member, uint64_t role);

}  // namespace rules
}  // namespace refract
