// SPDX-License-Identifier: Apache-2.0
// Conditions with a known value, which branches to dead blocks need, and the phis that new edges
// affect.
#pragma once

#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// Checks that `condition` is known to be true and available before `where`. An empty name means
/// the constant true.
CheckResult IsTrueAt(const View& view, Name condition, Inst where);
/// Checks that `condition` is known to have this value. An empty name means the constant.
CheckResult IsConditionAt(const View& view, Name condition, bool value, Inst where);
/// The id of a condition that passes IsConditionAt. Declares the constant if needed.
Id KnownCondition(ContextEditor& editor, Name condition, bool value);
/// Picks a condition that has this value at the end of `block`: the name of a value in the module,
/// or an empty name for the constant.
Name PickCondition(Proposer& proposer, Block block, bool value);
/// The id of a condition that passes IsTrueAt. Declares the constant if needed.
Id TrueCondition(ContextEditor& editor, Name condition);
/// Picks a condition that is true at the end of `block`: the name of a value in the module, or an
/// empty name for the constant.
Name PickTrueCondition(Proposer& proposer, Block block);

/// The phis of a block. They are collected first because editing a phi moves its operands.
std::vector<Inst> PhisOf(const Module& module, Block block);
/// True if the type of each phi of `block` has a null constant, which a new edge needs as input.
bool PhisHaveNulls(const Module& module, Block block);
/// Gives each phi of `block` a null input for the predecessor `from`.
void AddNullPhiInputs(ContextEditor& editor, Block block, Block from);
/// Removes the inputs for the predecessor `from` from the phis of `block`.
void RemovePhiInputs(ContextEditor& editor, Block block, Block from);

}  // namespace rules
}  // namespace refract
