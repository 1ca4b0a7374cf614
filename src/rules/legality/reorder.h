// SPDX-License-Identifier: Apache-2.0
// Which instructions of a block may change places.
#pragma once

#include "rules/rule.h"

namespace refract::inline rules {

/// Whether the instruction has no place of its own: it yields a value, or reads or writes memory
/// and does nothing else. Not phis, variables, what ends or begins a block, debug lines, and what
/// depends on who executes it together (derivatives), orders memory or has an effect.
Verdict MayBeReordered(const Module& module, Inst inst);
/// Whether the instruction, which MayBeReordered, may run once more in its place: the second time
/// it yields the same.
bool MayRunTwice(const Module& module, Inst inst);
/// Whether `inst`, which MayBeReordered, may come to stand behind `other` instead of before it;
/// both are in one block. The view notes if that is so only where nothing runs.
Verdict MayComeBehind(const View& view, Inst inst, Inst other);

/// Whether the memory operands say more than how the access is aligned and cached (SPIR-V 3.26).
bool HasOrderingMemoryOperands(const Module& module, Inst inst);
/// Whether the instruction may change what is read through the pointer, or give it a meaning in
/// time: barriers do for memory that is not the invocation's own.
bool MayChange(const Module& module, Inst inst, Id pointer);

}  // namespace refract::inline rules
