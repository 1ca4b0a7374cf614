// SPDX-License-Identifier: Apache-2.0
// Where an id may be used (SPIR-V 2.16, "Validation Rules": a use is dominated by its definition),
// and where instructions may be put.
#pragma once

#include "ir/module.h"

namespace refract::inline ir {

/// Whether `id` may be an operand of an instruction put directly before `where` (not a phi there).
/// In unreachable blocks only what is global, of this block or a parameter or local variable
/// counts.
bool IsAvailable(const Module& module, Id id, Inst where);
/// Whether `id` is available at the end of `block`, i.e. may be the value of a phi input from it.
bool IsAvailableAtEnd(const Module& module, Id id, Block block);
/// Whether `id` may stand at this use: as IsAvailable, or for a phi's value at the end of the
/// predecessor.
bool IsAvailableAtUse(const Module& module, Id id, Inst user, uint32_t operand);

/// Whether an instruction `opcode` may be put directly before `where`, by the order rules inside a
/// block (SPIR-V 2.4, 2.16.1): phis first, variables first in the entry block, nothing between a
/// merge instruction and its terminator, nothing before a label. Only instructions of basic blocks.
bool MayInsertBefore(const Module& module, spv::Op opcode, Inst where);

}  // namespace refract::inline ir
