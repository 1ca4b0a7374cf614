// SPDX-License-Identifier: Apache-2.0
// Conditions that are known to be true: what dead edges hang on.
#pragma once

#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// Whether `condition` (no name: the constant true) is known to be true and can be used before
/// `where`.
Verdict IsTrueAt(const View& view, Name condition, Inst where);
/// The same for a condition that is known to have that value; no name: the constant.
Verdict IsConditionAt(const View& view, Name condition, bool value, Inst where);
/// The id of such a condition; declares the constant if need be.
Id KnownCondition(ContextEditor& editor, Name condition, bool value);
/// Some such condition at the end of `block`: one of those in the module, or none for the constant.
Name PickCondition(Proposer& proposer, Block block, bool value);
/// The id of a condition that IsTrueAt; declares the constant if need be.
Id TrueCondition(ContextEditor& editor, Name condition);
/// Some condition known to be true at the end of `block`: one of those in the module, or none for
/// the constant.
Name PickTrueCondition(Proposer& proposer, Block block);

/// The phis of a block; an edit of one moves its operands, so they are collected first.
std::vector<Inst> PhisOf(const Module& module, Block block);
/// Whether each phi of `block` has a type with a null constant, which a new edge needs.
bool PhisHaveNulls(const Module& module, Block block);
/// Gives each phi of `block` a null input for the predecessor `from`.
void AddNullPhiInputs(ContextEditor& editor, Block block, Block from);
/// Takes the inputs for the predecessor `from` from the phis of `block`.
void RemovePhiInputs(ContextEditor& editor, Block block, Block from);

}  // namespace refract::inline rules
