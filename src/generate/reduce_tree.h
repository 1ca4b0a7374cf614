// SPDX-License-Identifier: Apache-2.0
// What is in a tree, and the changes of trees that a reduction tries (reduce_recipe.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "generate/tree.h"

namespace refract::generate {

/// The blocks of a tree, each before those inside of it. Pointers are valid until the tree changes.
std::vector<Block*> BlocksOf(Tree* tree);

/// The places that hold an expression, in a fixed order.
std::vector<uint32_t*> ExpressionsOf(Tree* tree);

/// By variable: whether something reads or assigns it.
std::vector<bool> UsedVariables(Tree tree);

/// The expressions inside of `expression` that have its type, the outermost first.
std::vector<uint32_t> InnerOfSameType(const Tree& tree, uint32_t expression);

/// Adds a constant of the type with the same number in each component, and returns its number.
uint32_t AddConstant(Tree* tree, Type type, uint32_t number);

/// Gives a variable that only assignments change another type and no parts. What is assigned to it
/// and read from it is converted. Returns false if something else uses it; the tree is then in no
/// useful state.
bool Retype(Tree* tree, uint32_t variable, Type type);

/// Removes a case of a switch. The labels of the others change. Returns false for the default.
bool DeleteCase(Statement* statement, uint32_t number);

/// A change that makes a statement simpler. It returns false if it changes nothing.
using StatementChange = bool (*)(Statement* statement);

/// Without dead code after an if or a switch, with labels or counters from 0, without
/// fall-through, with one label for each case; a jump without its condition; a loop with one
/// iteration, and with the test after the header.
std::span<const StatementChange> SimplerStatements();

}  // namespace refract::generate
