// SPDX-License-Identifier: Apache-2.0
// Makes operations that are undefined for some operands safe: where an operand might be bad, a good
// one replaces it. For good operands the operation computes what it did.
#pragma once

#include "ir/edit/editor.h"

namespace refract {
inline namespace donate {

/// True if, for operands that are not small, the result is defined but may be NaN, infinite or
/// implementation-dependent.
bool MayBeNan(const Module& module, Inst inst);
/// True if MakeDefined supports the instruction.
bool MayBeMadeDefined(const Module& module, Inst inst);
/// Inserts instructions before `inst` that keep its operands good. Their names consist of `role`,
/// the name of the instruction and a count.
void MakeDefined(Editor& editor, Inst inst, uint64_t role);

}  // namespace donate
}  // namespace refract
