// SPDX-License-Identifier: Apache-2.0
// Checks of which instructions of a block can change places.
#pragma once

#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// Checks that the instruction can be moved at all: it only yields a value, or only reads or writes
/// memory. This excludes phis, variables, labels, terminators, debug lines, instructions that
/// depend on which invocations execute them together (derivatives), and instructions that order
/// memory or have other effects.
CheckResult MayBeReordered(const Module& module, Inst inst);
/// True if the instruction, which passes MayBeReordered, can run a second time in its place and
/// yields the same.
bool MayRunTwice(const Module& module, Inst inst);
/// Checks that `inst`, which passes MayBeReordered, can move from before `other` to after it; both
/// are in one block. If this holds only because the block is dead, the view records that.
CheckResult MayMoveAfter(const View& view, Inst inst, Inst other);

/// True if the memory operands do more than describe alignment and caching (SPIR-V 3.26).
bool HasOrderingMemoryOperands(const Module& module, Inst inst);
/// True if the instruction may change what a read through the pointer returns, or make the time of
/// the read matter: barriers do so for memory that other invocations share.
bool MayChange(const Module& module, Inst inst, Id pointer);

}  // namespace rules
}  // namespace refract
