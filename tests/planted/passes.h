// SPDX-License-Identifier: Apache-2.0
// The passes of our small optimiser, each in a file of its name. Every one takes a valid module
// and leaves a valid one that does the same; what it does not understand it leaves alone.
#pragma once

#include <span>
#include <string_view>

#include "planted/program.h"

namespace refract::planted {

/// Puts the bodies of small functions in place of their calls.
void InlineFunctions(Program* program);
/// Removes copies: of values, of what was just put together, of phis and selects of one value.
void PropagateCopies(Program* program);
/// Integers and booleans of constants, and identities.
void FoldConstants(Program* program);
/// Gives loads of local variables what was stored there, and removes stores that nothing loads.
void ForwardStores(Program* program);
/// Conditions that are constants, and those that are negated; cases that lead to one place.
void SimplifyBranches(Program* program);
/// Puts blocks together that always follow one another.
void MergeBlocks(Program* program);
/// Has what is computed once not computed again where that dominates.
void ReuseExpressions(Program* program);
/// Unrolls loops of a few rounds, of which the number is constant.
void UnrollLoops(Program* program);
/// Removes what has no effect: values, blocks, functions.
void RemoveDeadCode(Program* program);

struct Pass {
  std::string_view name;
  void (*run)(Program*);
};
/// In the order in which they run.
std::span<const Pass> Passes();

/// Runs the passes of these names, or all, over a module that we understand, twice.
void Optimise(Program* program, std::span<const Pass> passes);

}  // namespace refract::planted
