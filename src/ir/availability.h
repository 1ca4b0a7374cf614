// SPDX-License-Identifier: Apache-2.0
// Where an id may be used (SPIR-V 2.16, "Validation Rules": its definition dominates each use), and
// where instructions may be inserted.
#pragma once

#include "ir/module.h"

namespace refract {
inline namespace ir {

/// True if `id` may be an operand of an instruction inserted directly before `where` (not of a
/// phi). In unreachable blocks, only these ids are available: global ones, those of the same block,
/// parameters and local variables.
bool IsAvailable(const Module& module, Id id, Inst where);
/// True if `id` is available at the end of `block`, so that a phi may have it as its input from
/// `block`.
bool IsAvailableAtEnd(const Module& module, Id id, Block block);
/// True if `id` may be operand `operand` of `user`. For the value of a phi, it must be available at
/// the end of the predecessor; otherwise as in IsAvailable.
bool IsAvailableAtUse(const Module& module, Id id, Inst user, uint32_t operand);

/// True if an instruction `opcode` may be inserted directly before `where`, by the rules of order
/// in a block (SPIR-V 2.4, 2.16.1): phis first, variables first in the entry block, nothing between
/// a merge instruction and its terminator, nothing before a label. Only for instructions of basic
/// blocks.
bool MayInsertBefore(const Module& module, spv::Op opcode, Inst where);

}  // namespace ir
}  // namespace refract
