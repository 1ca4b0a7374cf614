// SPDX-License-Identifier: Apache-2.0
// The passes of our small optimiser, each in a file with its name. Every pass takes a valid module
// and keeps it valid and equivalent. It does not change what it does not know.
#pragma once

#include <span>
#include <string_view>

#include "planted/program.h"

namespace refract::planted {

/// Replaces calls of small functions by their bodies.
void InlineFunctions(Program* program);
/// Removes copies, extractions from a composite that was just built, and phis and selects of one
/// value.
void PropagateCopies(Program* program);
/// Folds integers and booleans from constants, and applies identities.
void FoldConstants(Program* program);
/// Changes floats only if a bug of it is enabled.
void ReassociateFloats(Program* program);
/// Replaces loads of local variables by the stored values, and removes stores that no load reads.
void ForwardStores(Program* program);
/// Removes constant conditions, negations of conditions, and cases with the same target as the
/// default.
void SimplifyBranches(Program* program);
/// Merges blocks that always follow one another.
void MergeBlocks(Program* program);
/// Replaces a computation by an equal one that dominates it.
void ReuseExpressions(Program* program);
/// Unrolls loops with a small constant number of iterations.
void UnrollLoops(Program* program);
/// Removes values, blocks and functions without effect.
void RemoveDeadCode(Program* program);

/// Broadcasts values of the first invocation of a subgroup that are uniform.
void ShareValues(Program* program);
/// Changes divergent control flow only if a bug of it is enabled.
void MoveAcrossBranches(Program* program);

struct Pass {
  std::string_view name;
  void (*run)(Program*);
};
/// The passes in the order in which they run.
std::span<const Pass> Passes();

/// The passes with the bugs that need divergence. They run once, before the others.
std::span<const Pass> DivergencePasses();

/// Runs the passes with these names, or all of them, twice over a supported module.
void Optimise(Program* program, std::span<const Pass> passes);
/// Runs DivergencePasses() over a supported module.
void OptimiseDivergence(Program* program);

}  // namespace refract::planted
